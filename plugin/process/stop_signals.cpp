#include "plugin/process/stop_signals.h"

#include <csignal>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace slimgrad {
namespace {

struct Leftovers {
    std::mutex mutex;
    std::set<std::string> folders;
    std::set<pid_t> groups;
};

/// Never destroyed: threads may outlive main.
Leftovers& leftovers() {
    static auto* const all = new Leftovers;
    return *all;
}

void clean_up() {
    Leftovers& all = leftovers();
    const std::lock_guard lock(all.mutex);
    for (const pid_t group : all.groups)
        kill(-group, SIGKILL);
    std::error_code ignored; // what cannot be removed is left to the sweep of a later run
    for (const std::string& folder : all.folders)
        std::filesystem::remove_all(folder, ignored);
}

} // namespace

void clean_up_when_stopped() {
    static sigset_t signals; // of the thread below
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action{};
        if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&signals, signal);
    }
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread([] {
        int signal = 0;
        if (sigwait(&signals, &signal) != 0)
            return;
        clean_up();
        std::signal(signal, SIG_DFL);
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, signal);
        pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
        kill(getpid(), signal);
    }).detach();
}

void add_folder_to_clean_up(const std::string& path) {
    const std::lock_guard lock(leftovers().mutex);
    leftovers().folders.insert(path);
}

void forget_folder(const std::string& path) {
    const std::lock_guard lock(leftovers().mutex);
    leftovers().folders.erase(path);
}

void add_group_to_kill(pid_t leader) {
    const std::lock_guard lock(leftovers().mutex);
    leftovers().groups.insert(leader);
}

void forget_group(pid_t leader) {
    const std::lock_guard lock(leftovers().mutex);
    leftovers().groups.erase(leader);
}

} // namespace slimgrad
