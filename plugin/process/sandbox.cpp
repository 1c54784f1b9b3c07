#include "plugin/process/sandbox.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace slimgrad {

bool give_up_rights() {
    // By number: glibc's functions also tell the other threads, which are not there, and lock.
    if (geteuid() == 0 &&
        (syscall(SYS_setgroups, 0, nullptr) != 0 ||
         syscall(SYS_setresgid, sandbox_group, sandbox_group, sandbox_group) != 0 ||
         syscall(SYS_setresuid, sandbox_user, sandbox_user, sandbox_user) != 0))
        return false;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    // The kernel compares with the number of processes and threads that the user has on the whole
    // machine, which others of this program's children add to. Any number but none would depend on
    // them. It does not hold for root: it comes last. A process above the limit may still execute
    // a program, if it did not change its user while above it.
    const rlimit none{0, 0};
    return setrlimit(RLIMIT_NPROC, &none) == 0;
}

Result<void> let_sandbox_read(const std::string& file) {
    if (geteuid() != 0)
        return {};
    const std::string folder = std::filesystem::path(file).parent_path().string();
    if (chmod(folder.c_str(), 0711) != 0 || chmod(file.c_str(), 0644) != 0)
        return fail(fmt::format("cannot make {} readable: {}", file, std::strerror(errno)));
    return {};
}

} // namespace slimgrad
