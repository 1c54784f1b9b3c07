#pragma once

#include "plugin/process/process.h"

#include <chrono>

namespace slimgrad {

/// A program that somebody else kills, as the system does that is short of memory for a moment, is
/// started again a few times, with a pause before each that gets longer. What is killed every time
/// has not been tried: that says nothing of what it was to do.
class Restarts {
  public:
    static constexpr int most = 5;

    /// None after `patience`, which is for programs that take long before they are killed.
    explicit Restarts(std::chrono::milliseconds patience)
        : end_(std::chrono::steady_clock::now() + patience) {}

    /// Pauses. False: that was the last time.
    bool again();

  private:
    std::chrono::steady_clock::time_point end_;
    int done_ = 0;
};

/// Whether a SIGKILL that we did not send ended the program, or one that it started: compilers pass
/// that on in their own words.
bool was_killed(const ProcessResult& result);

} // namespace slimgrad
