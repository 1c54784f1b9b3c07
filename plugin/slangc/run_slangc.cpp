#include "plugin/slangc/run_slangc.h"

#include "plugin/slangc/find_slangc.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace slimgrad::slangc {
namespace {

constexpr std::array passed_on{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

volatile std::sig_atomic_t running = 0; // slangc's process, for the handler

void pass_on(int signal) {
    if (running != 0)
        kill(static_cast<pid_t>(running), signal);
}

/// While it lives, the signals that are not ignored go to `running`.
class PassOnSignals {
  public:
    PassOnSignals() {
        struct sigaction action{};
        action.sa_handler = pass_on;
        sigemptyset(&action.sa_mask);
        action.sa_flags = SA_RESTART;
        for (std::size_t i = 0; i < passed_on.size(); ++i) {
            sigaction(passed_on[i], nullptr, &before_[i]);
            if (before_[i].sa_handler != SIG_IGN)
                sigaction(passed_on[i], &action, nullptr);
        }
    }
    PassOnSignals(const PassOnSignals&) = delete;
    PassOnSignals& operator=(const PassOnSignals&) = delete;
    ~PassOnSignals() { restore(); }

    void restore() const {
        for (std::size_t i = 0; i < passed_on.size(); ++i)
            sigaction(passed_on[i], &before_[i], nullptr);
    }

  private:
    std::array<struct sigaction, passed_on.size()> before_{};
};

std::vector<char*> argv(const std::string& program, const std::vector<std::string>& arguments) {
    std::vector<char*> result{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments)
        result.push_back(const_cast<char*>(argument.c_str()));
    result.push_back(nullptr);
    return result;
}

Error cannot_start(const std::string& program) {
    return {fmt::format("cannot start {}: {}", program, std::strerror(errno))};
}

} // namespace

Error become_slangc(const std::string& program, const std::vector<std::string>& arguments) {
    mark_as_started();
    execv(program.c_str(), argv(program, arguments).data());
    return cannot_start(program);
}

Result<SlangcEnd> run_slangc(const std::string& program,
                             const std::vector<std::string>& arguments) {
    const std::vector<char*> words = argv(program, arguments);
    mark_as_started();
    // A signal that comes before the child is known waits until it is.
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    const PassOnSignals pass_on_signals;
    const auto child_ended = std::signal(SIGCHLD, SIG_DFL); // where it is ignored, no child is kept
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
        pass_on_signals.restore();
        std::signal(SIGCHLD, child_ended);
        sigprocmask(SIG_SETMASK, &before, nullptr);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() == parent)
            execv(program.c_str(), words.data());
        const std::string message = to_string(cannot_start(program)) + '\n';
        [[maybe_unused]] const ssize_t written =
            write(STDERR_FILENO, message.data(), message.size());
        _exit(127);
    }
    running = child > 0 ? child : 0;
    sigprocmask(SIG_SETMASK, &before, nullptr);
    if (child < 0)
        return tl::unexpected(cannot_start(program));
    int status = 0;
    pid_t got;
    while ((got = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
    }
    running = 0;
    if (got < 0)
        return fail(fmt::format("cannot wait for {}: {}", program, std::strerror(errno)));
    return WIFSIGNALED(status) ? SlangcEnd{0, WTERMSIG(status)} : SlangcEnd{WEXITSTATUS(status), 0};
}

void end_as(const SlangcEnd& end) {
    if (end.signal != 0) {
        const rlimit none{0, 0}; // one core file, if any, is slangc's
        setrlimit(RLIMIT_CORE, &none);
        std::signal(end.signal, SIG_DFL);
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, end.signal);
        sigprocmask(SIG_UNBLOCK, &one, nullptr);
        raise(end.signal);
        std::_Exit(128 + end.signal);
    }
    std::exit(end.exit_code);
}

} // namespace slimgrad::slangc
