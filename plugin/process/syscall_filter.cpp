#include "plugin/process/syscall_filter.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#if defined(__x86_64__)
#define SLIMGRAD_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SLIMGRAD_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

namespace slimgrad {

#ifdef SLIMGRAD_AUDIT_ARCH
namespace {

constexpr long allowed[] = {
    // memory
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise,
    // files that are open, and what is there to be read
    SYS_read, SYS_readv, SYS_pread64, SYS_write, SYS_writev, SYS_lseek, SYS_close, SYS_fstat,
    SYS_newfstatat, SYS_readlinkat, SYS_faccessat,
#ifdef SYS_readlink
    SYS_readlink, SYS_stat, SYS_lstat, SYS_access,
#endif
    // itself
    SYS_exit, SYS_exit_group, SYS_getpid, SYS_gettid, SYS_futex, SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_getrlimit, SYS_sched_yield,
    SYS_sched_getaffinity, SYS_restart_syscall,
    // time and chance
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
    SYS_getrandom};

/// A BPF program that judges one system call.
class Program {
  public:
    Program() {
        // Numbers mean something else for other architectures (x32 has its own, and a bit that is
        // in none of ours).
        load(offsetof(seccomp_data, arch));
        jump(BPF_JEQ, SLIMGRAD_AUDIT_ARCH, 1, 0);
        deny();
    }

    void allow(long call) {
        load(offsetof(seccomp_data, nr));
        jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
        accept();
    }
    /// Where none of these bits of the argument is set.
    void allow_without(long call, std::uint32_t argument, std::uint32_t bits) {
        load(offsetof(seccomp_data, nr));
        jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 3);
        load_argument(argument);
        jump(BPF_JSET, bits, 1, 0);
        accept();
    }
    void allow_with(long call, std::uint32_t argument, std::uint32_t value) {
        load(offsetof(seccomp_data, nr));
        jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 3);
        load_argument(argument);
        jump(BPF_JEQ, value, 0, 1);
        accept();
    }

    bool install() {
        deny();
        const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
        // Without it only root may install a filter.
        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
    }

  private:
    void load(std::size_t offset) {
        code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
    }
    /// Its lower half: both architectures have the lowest byte first.
    void load_argument(std::uint32_t argument) {
        load(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t));
    }
    void jump(std::uint32_t condition, std::uint32_t value, std::uint8_t if_so,
              std::uint8_t if_not) {
        code_.push_back(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | condition | BPF_K), value,
                                 if_so, if_not));
    }
    void accept() { code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)); }
    // The C library takes ENOSYS for an older kernel and does without.
    void deny() { code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)); }

    std::vector<sock_filter> code_;
};

} // namespace

SyscallFilter allow_computation_only() {
    constexpr std::uint32_t writing =
        O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
    Program program;
    for (const long call : allowed)
        program.allow(call);
    program.allow_without(SYS_openat, 2, writing);
#ifdef SYS_open
    program.allow_without(SYS_open, 1, writing);
#endif
    program.allow_with(SYS_prlimit64, 0, 0);                                 // its own
    program.allow_with(SYS_tgkill, 0, static_cast<std::uint32_t>(getpid())); // abort
    return program.install() ? SyscallFilter::installed : SyscallFilter::unavailable;
}
#else
SyscallFilter allow_computation_only() {
    return SyscallFilter::unavailable;
}
#endif

} // namespace slimgrad
