#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace slimgrad::hunt {

/// Numbers that depend on the seed alone: std::mt19937_64 is the same everywhere, the standard
/// distributions are not.
class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// From 0 to count - 1.
    int below(int count) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(count)); }
    /// Both ends included.
    int between(int smallest, int largest) { return smallest + below(largest - smallest + 1); }
    bool chance(int percent) { return below(100) < percent; }
    template <class T> const T& pick(const std::vector<T>& values) {
        return values[static_cast<std::size_t>(below(static_cast<int>(values.size())))];
    }
    template <class T> T pick(std::initializer_list<T> values) {
        return *(values.begin() + below(static_cast<int>(values.size())));
    }
    std::uint64_t next() { return engine_(); }

  private:
    std::mt19937_64 engine_;
};

} // namespace slimgrad::hunt
