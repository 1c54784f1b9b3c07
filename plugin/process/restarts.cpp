#include "plugin/process/restarts.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>
#include <thread>

namespace slimgrad {

bool Restarts::again() {
    constexpr std::chrono::milliseconds first_pause{20};
    if (done_ == most || std::chrono::steady_clock::now() >= end_)
        return false;
    std::this_thread::sleep_for(first_pause * (1 << done_++));
    return true;
}

bool was_killed(const ProcessResult& result) {
    constexpr int by_shell = 128 + SIGKILL;
    // Of nvcc, g++ and its linker.
    static constexpr std::array<std::string_view, 3> words{
        "died due to signal 9", "Killed signal terminated program", "terminated with signal 9"};
    if (result.end == ProcessEnd::signalled)
        return result.signal == SIGKILL;
    if (result.end != ProcessEnd::exited || result.exit_code == 0)
        return false;
    return result.exit_code == by_shell ||
           std::any_of(words.begin(), words.end(), [&](std::string_view said) {
               return result.err.find(said) != std::string::npos ||
                      result.out.find(said) != std::string::npos;
           });
}

} // namespace slimgrad
