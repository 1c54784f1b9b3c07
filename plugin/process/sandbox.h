#pragma once

#include "rewriter/result.h"

#include <string>
#include <sys/types.h>

namespace slimgrad {

/// The user and group that sandboxed children of root run as: "nobody" and "nogroup" of Debian.
/// Files that they need have to be readable by everybody.
constexpr uid_t sandbox_user = 65534;
constexpr gid_t sandbox_group = 65534;

/// Takes from this process, for good and for what it executes: root's rights (user, group and all
/// supplementary groups become those above; another user's stay), privileges from set-user-id
/// programs, and processes and threads beside itself.
///
/// For the child between fork and exec: calls only what is async-signal-safe. Clears
/// PR_SET_PDEATHSIG. False: errno says why not; some of it may be done.
///
/// What it does not do: the process may read what its user may read, and send signals to other
/// processes of this user; `allow_computation_only` (syscall_filter.h) ends that.
bool give_up_rights();

/// Lets sandboxed children read a file in a folder of ours through a descriptor and, for
/// sanitizers, which look for lines by its name, enter the folder: 0644 and 0711 where they run as
/// another user than we, else nothing. The folders above that one are left as they are.
Result<void> let_sandbox_read(const std::string& file);

} // namespace slimgrad
