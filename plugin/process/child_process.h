#pragma once

#include "plugin/process/unique_fd.h"
#include "rewriter/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace slimgrad {

/// What a child starts with. The descriptors stay the caller's.
struct ChildOptions {
    std::vector<std::string> arguments;   ///< argv; a program without a slash is looked up on PATH
    std::string working_directory;        ///< "" for the caller's
    std::vector<std::string> environment; ///< "NAME=value" added to or replacing the caller's; all
                                          ///< there is where sandboxed
    int standard_input = -1;              ///< -1: /dev/null, as for the other two
    int standard_output = -1;
    int standard_error = -1;
    std::vector<int> inherited;     ///< further descriptors that stay open under the same number
    std::uint64_t memory_bytes = 0; ///< RLIMIT_AS of each process; 0: no limit
    std::uint64_t cpu_seconds = 0;  ///< RLIMIT_CPU of each process; 0: no limit
    std::uint64_t stack_bytes = 0;  ///< RLIMIT_STACK, of its first thread; 0: the caller's
    std::optional<std::uint64_t> file_bytes; ///< RLIMIT_FSIZE: how long a file may become
    /// Starts with an empty environment and without rights (sandbox.h). The program is a path, not
    /// a script; as it is opened before, its folder may be closed to the sandbox's user.
    bool sandboxed = false;
};

/// A running child, not yet waited for: whoever holds it must call `kill_child` or see it end, then
/// `wait_child`.
struct ChildProcess {
    pid_t pid = -1;
    UniqueFd exit_event; ///< readable (poll) once the child has ended
};

/// Starts a program in a process group of its own, without core dumps, with default signal
/// handling, and with no descriptor but those named. It is killed when the *thread* that started it
/// ends, so that nothing outlives us. Error: it cannot be started, a missing program or folder
/// included.
Result<ChildProcess> start_child(const ChildOptions& options);

/// Kills the child and its whole process group. To be called before `wait_child`, while the group's
/// number is ours.
void kill_child(const ChildProcess& child);

struct ChildEnd {
    int status = 0;                   ///< as of waitpid
    std::uint64_t peak_rss_bytes = 0; ///< the largest of the child and those it waited for
};

/// Waits for the child and reaps it.
ChildEnd wait_child(const ChildProcess& child);

/// The same descriptor, or a copy above 2: one that is 0, 1 or 2 would be overwritten while the
/// child's are set.
UniqueFd above_standard(UniqueFd fd);

/// A pipe whose ends are above the standard descriptors and closed on exec.
struct Pipe {
    UniqueFd read_end, write_end;
};
Result<Pipe> open_pipe();

} // namespace slimgrad
