#pragma once

#include "plugin/cuda/sass_flow.h"

#include <cstdint>
#include <optional>

namespace slimgrad {

/// A register that a loop adds a constant to and compares before it ends.
struct SassCounter {
    std::uint64_t step = 1; ///< without its sign; more than the shader's where the loop is unrolled
    std::optional<std::uint64_t> trips; ///< where it begins and ends with constants; nearly: the
                                        ///< comparison may stand before or after the addition
};

/// The counter of the loop that ends it first; nothing where no exit has one.
std::optional<SassCounter> loop_counter(const SassCode& code, const SassFlow& flow,
                                        const SassLoop& loop);

} // namespace slimgrad
