#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace slimgrad {

/// "[####......] 12/40, 9 s left  LINE" in at most `width` columns. The time that is left is what
/// the rest takes at the pace so far; nothing is said of it before something is done.
std::string progress_line(const std::string& line, std::size_t done, std::size_t total,
                          std::chrono::milliseconds elapsed, std::size_t width);

/// One status line on a terminal's standard error, shown once work has taken over a second and
/// erased at the end. Nothing is written where standard error is not a terminal. Thread-safe.
class Progress {
  public:
    Progress();
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(const std::string& line);
    /// With a bar: `done` of `total` steps since this was made. The total may grow on the way.
    void show(const std::string& line, std::size_t done, std::size_t total);
    void clear();

  private:
    bool is_due() const;
    void put(const std::string& line);

    std::mutex mutex_;
    std::chrono::steady_clock::time_point start_;
    bool terminal_ = false;
    bool shown_ = false;
};

} // namespace slimgrad
