#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace slimgrad {

/// One status line on a terminal's standard error, shown once work has taken over a second and
/// erased at the end. Nothing is written where standard error is not a terminal. Thread-safe.
class Progress {
  public:
    Progress();
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(const std::string& line);
    void clear();

  private:
    std::mutex mutex_;
    std::chrono::steady_clock::time_point start_;
    bool terminal_ = false;
    bool shown_ = false;
};

} // namespace slimgrad
