#include "plugin/cli/progress.h"

#include "plugin/cli/display.h"

#include <cstdio>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace slimgrad {
namespace {

constexpr std::chrono::seconds patience{1};

std::size_t terminal_width() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

} // namespace

Progress::Progress()
    : start_(std::chrono::steady_clock::now()), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    clear();
}

void Progress::show(const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (!terminal_ || std::chrono::steady_clock::now() - start_ < patience)
        return;
    fmt::print(stderr, "\r\033[K{}", printable(line).substr(0, terminal_width() - 1));
    std::fflush(stderr);
    shown_ = true;
}

void Progress::clear() {
    const std::lock_guard lock(mutex_);
    if (shown_)
        fmt::print(stderr, "\r\033[K");
    shown_ = false;
}

} // namespace slimgrad
