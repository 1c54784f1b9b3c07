#include "plugin/process/child_process.h"
#include "plugin/process/sandbox.h"
#include "plugin/process/stop_signals.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace slimgrad {
namespace {

enum class Step : int { streams, directory, limits, rights, execute };

/// What the child tells through the status pipe when it does not get as far as the program.
struct StartFailure {
    Step step;
    int error;
};

/// The environment with `added` in place of variables of the same name.
std::vector<std::string> merged_environment(const std::vector<std::string>& added) {
    auto name = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
    std::vector<std::string> merged = added;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        bool replaced = std::any_of(added.begin(), added.end(), [&](const std::string& other) {
            return name(other) == name(*entry);
        });
        if (!replaced)
            merged.emplace_back(*entry);
    }
    return merged;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (std::string& string : strings)
        result.push_back(string.data());
    result.push_back(nullptr);
    return result;
}

/// By number: glibc's <sys/pidfd.h> declares the function for C only.
UniqueFd open_exit_event(pid_t pid) {
    return above_standard(UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))));
}

/// `margin`: from the limit that sends a signal with a name to the one that kills.
bool limit(__rlimit_resource resource, rlim_t value, rlim_t margin = 0) {
    rlimit both{};
    if (getrlimit(resource, &both) != 0)
        return false;
    both.rlim_max = std::min(both.rlim_max, value + margin); // only root may raise it
    both.rlim_cur = std::min(both.rlim_max, value);
    return setrlimit(resource, &both) == 0;
}

bool limit_resources(const ChildOptions& options) {
    return limit(RLIMIT_CORE, 0) &&
           (options.memory_bytes == 0 || limit(RLIMIT_AS, options.memory_bytes)) &&
           (options.cpu_seconds == 0 || limit(RLIMIT_CPU, options.cpu_seconds, 1)) &&
           (options.stack_bytes == 0 || limit(RLIMIT_STACK, options.stack_bytes)) &&
           (!options.file_bytes || limit(RLIMIT_FSIZE, *options.file_bytes));
}

/// The child between fork and exec. Other threads do not exist here and may have held any lock:
/// only async-signal-safe calls, nothing allocated.
[[noreturn]] void become(const ChildOptions& options, char** argv, char** environment, int program,
                         int null_device, int status_pipe, pid_t parent) {
    auto give_up = [&](Step step) {
        const StartFailure failure{step, errno};
        [[maybe_unused]] ssize_t written = write(status_pipe, &failure, sizeof failure);
        _exit(127);
    };
    setpgid(0, 0);

    std::signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);

    const int streams[] = {options.standard_input, options.standard_output, options.standard_error};
    for (int target = 0; target < 3; ++target)
        if (dup2(streams[target] < 0 ? null_device : streams[target], target) < 0)
            give_up(Step::streams);
    // Also those that others opened without thinking of us.
    close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
    for (int fd : options.inherited)
        if (fcntl(fd, F_SETFD, 0) < 0)
            give_up(Step::streams);
    if (!options.working_directory.empty() && chdir(options.working_directory.c_str()) != 0)
        give_up(Step::directory);

    if (!limit_resources(options))
        give_up(Step::limits);
    if (options.sandboxed && !give_up_rights())
        give_up(Step::rights);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) // it died before the line above
        _exit(127);
    if (options.sandboxed)
        syscall(SYS_execveat, program, "", argv, environment, AT_EMPTY_PATH);
    else
        execvpe(argv[0], argv, environment);
    give_up(Step::execute);
    _exit(127);
}

std::string describe(const StartFailure& failure, const ChildOptions& options) {
    const char* reason = std::strerror(failure.error);
    switch (failure.step) {
    case Step::directory:
        return fmt::format("cannot enter {}: {}", options.working_directory, reason);
    case Step::limits:
        return fmt::format("cannot limit {}: {}", options.arguments.front(), reason);
    case Step::rights:
        return fmt::format("cannot run {} without rights: {}", options.arguments.front(), reason);
    case Step::streams:
    case Step::execute:
        break;
    }
    return fmt::format("cannot start {}: {}", options.arguments.front(), reason);
}

} // namespace

UniqueFd above_standard(UniqueFd fd) {
    if (!fd || fd.get() > STDERR_FILENO)
        return fd;
    return UniqueFd(fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

Result<Pipe> open_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail(fmt::format("cannot open a pipe: {}", std::strerror(errno)));
    Pipe result{UniqueFd(ends[0]), UniqueFd(ends[1])};
    result.read_end = above_standard(std::move(result.read_end));
    result.write_end = above_standard(std::move(result.write_end));
    if (!result.read_end || !result.write_end)
        return fail(fmt::format("cannot open a pipe: {}", std::strerror(errno)));
    return result;
}

Result<ChildProcess> start_child(const ChildOptions& options) {
    if (options.arguments.empty())
        return fail("no program to start");
    std::vector<std::string> arguments = options.arguments;
    std::vector<std::string> environment =
        options.sandboxed ? options.environment : merged_environment(options.environment);
    std::vector<char*> argv = pointers(arguments);
    std::vector<char*> envp = pointers(environment);
    UniqueFd null_device = above_standard(UniqueFd(open("/dev/null", O_RDWR | O_CLOEXEC)));
    if (!null_device)
        return fail(fmt::format("cannot open /dev/null: {}", std::strerror(errno)));
    UniqueFd program;
    if (options.sandboxed) {
        program = above_standard(UniqueFd(open(argv[0], O_PATH | O_CLOEXEC)));
        if (!program)
            return fail(describe({Step::execute, errno}, options));
    }
    Result<Pipe> status = open_pipe();
    if (!status)
        return tl::unexpected(status.error());

    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0)
        return fail(
            fmt::format("cannot start {}: {}", options.arguments.front(), std::strerror(errno)));
    if (pid == 0)
        become(options, argv.data(), envp.data(), program.get(), null_device.get(),
               status->write_end.get(), parent);

    add_group_to_kill(pid);
    ChildProcess child{pid, open_exit_event(pid)};
    const int pidfd_error = errno;
    status->write_end.close();
    StartFailure failure{};
    ssize_t got;
    while ((got = read(status->read_end.get(), &failure, sizeof failure)) < 0 && errno == EINTR) {
    }
    if (got == static_cast<ssize_t>(sizeof failure)) {
        wait_child(child);
        return fail(describe(failure, options));
    }
    if (!child.exit_event) {
        kill_child(child);
        wait_child(child);
        return fail(fmt::format("cannot watch {}: {}", options.arguments.front(),
                                std::strerror(pidfd_error)));
    }
    return child;
}

void kill_child(const ChildProcess& child) {
    kill(-child.pid, SIGKILL);
    kill(child.pid, SIGKILL); // should it have left its group
}

ChildEnd wait_child(const ChildProcess& child) {
    ChildEnd end;
    rusage usage{};
    while (wait4(child.pid, &end.status, 0, &usage) < 0 && errno == EINTR) {
    }
    forget_group(child.pid);
    end.peak_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    return end;
}

} // namespace slimgrad
