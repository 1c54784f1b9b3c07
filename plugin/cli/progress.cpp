#include "plugin/cli/progress.h"

#include "plugin/cli/display.h"

#include <algorithm>
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

std::string duration_text(std::chrono::milliseconds time) {
    const auto seconds = std::max<long long>(1, (time.count() + 500) / 1000);
    return seconds < 100 ? fmt::format("{} s", seconds)
                         : fmt::format("{} min", (seconds + 30) / 60);
}

} // namespace

std::string progress_line(const std::string& line, std::size_t done, std::size_t total,
                          std::chrono::milliseconds elapsed, std::size_t width) {
    constexpr std::size_t bar_width = 10;
    done = std::min(done, total);
    const std::size_t filled = total == 0 ? 0 : done * bar_width / total;
    std::string text = fmt::format("[{}{}] {}/{}", std::string(filled, '#'),
                                   std::string(bar_width - filled, '.'), done, total);
    if (done != 0 && done < total)
        text += fmt::format(", {} left", duration_text(elapsed * (total - done) / done));
    return (text + "  " + printable(line)).substr(0, width);
}

Progress::Progress()
    : start_(std::chrono::steady_clock::now()), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    clear();
}

bool Progress::is_due() const {
    return terminal_ && std::chrono::steady_clock::now() - start_ >= patience;
}

void Progress::put(const std::string& line) {
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
    shown_ = true;
}

void Progress::show(const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (is_due())
        put(printable(line).substr(0, terminal_width() - 1));
}

void Progress::show(const std::string& line, std::size_t done, std::size_t total) {
    const std::lock_guard lock(mutex_);
    if (is_due())
        put(progress_line(line, done, total,
                          std::chrono::duration_cast<std::chrono::milliseconds>(
                              std::chrono::steady_clock::now() - start_),
                          terminal_width() - 1));
}

void Progress::clear() {
    const std::lock_guard lock(mutex_);
    if (shown_)
        fmt::print(stderr, "\r\033[K");
    shown_ = false;
}

} // namespace slimgrad
