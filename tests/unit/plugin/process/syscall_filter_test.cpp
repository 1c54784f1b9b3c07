#include "plugin/process/syscall_filter.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <functional>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace slimgrad;

namespace {

/// Whether `attempt` succeeds in a process with the filter: its exit code, -1 for a signal.
int filtered(const std::function<bool()>& attempt) {
    const pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        if (allow_computation_only() != SyscallFilter::installed)
            _exit(3);
        _exit(attempt() ? 1 : 0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

constexpr int refused = 0, allowed = 1;

} // namespace

TEST_CASE("allow_computation_only: no network, no processes, no writing, no signals") {
    const pid_t test = getpid();
    CHECK(filtered([] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }) == refused);
    CHECK(filtered([] { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }) == refused);
    CHECK(filtered([] { return fork() >= 0; }) == refused);
    CHECK(filtered([] {
              char name[] = "/bin/true";
              char* const arguments[] = {name, nullptr};
              execv(name, arguments);
              return false;
          }) == refused);
    for (const int flags : {O_WRONLY, O_RDWR, O_RDONLY | O_CREAT, O_RDONLY | O_TRUNC})
        CHECK(filtered([&] { return open("/dev/null", flags, 0600) >= 0; }) == refused);
    CHECK(filtered([] { return open("/tmp", O_TMPFILE | O_RDWR, 0600) >= 0; }) == refused);
    CHECK(filtered([] { return mkdir("/tmp/slimgrad-filter-test", 0700) == 0; }) == refused);
    CHECK(filtered([] { return unlink("/tmp/slimgrad-filter-none") == 0 || errno != ENOSYS; }) ==
          refused);
    CHECK(filtered([] { return memfd_create("x", 0) >= 0; }) == refused);
    CHECK(filtered([&] { return kill(test, 0) == 0; }) == refused);
    CHECK(filtered([&] { return ptrace(PTRACE_ATTACH, test, 0, 0) == 0; }) == refused);
    CHECK(filtered([&] {
              rlimit limits{};
              return prlimit(test, RLIMIT_CORE, nullptr, &limits) == 0;
          }) == refused);
}

TEST_CASE("allow_computation_only: computing, reading, what is open") {
    CHECK(filtered([] { return open("/proc/self/maps", O_RDONLY | O_CLOEXEC) >= 0; }) == allowed);
    CHECK(filtered([] {
              void* memory = mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              return memory != MAP_FAILED && mprotect(memory, 4096, PROT_READ) == 0 &&
                     munmap(memory, 1 << 20) == 0;
          }) == allowed);
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    CHECK(filtered([&] { return write(ends[1], "x", 1) == 1; }) == allowed);
    char byte = 0;
    CHECK(read(ends[0], &byte, 1) == 1);
    close(ends[0]);
    close(ends[1]);
    CHECK(filtered([]() -> bool {
              std::signal(SIGABRT, SIG_DFL); // doctest has its own handler
              std::abort();
          }) == -SIGABRT);
}
