#pragma once

#include <array>
#include <cstdint>

namespace slimgrad::verify {

constexpr std::uint32_t warp_size = 32;

/// The operations that lanes of a warp do together; the values of cuda_host/threads.h.
enum class WarpOperation : std::uint32_t {
    shuffle,
    shuffle_up,
    shuffle_down,
    shuffle_xor,
    ballot,
    match_any,
    match_all,
    reduce_add,
    reduce_and,
    reduce_or,
    reduce_xor,
    reduce_min,
    reduce_max,
    reduce_min_signed,
    reduce_max_signed,
};

struct WarpLane {
    bool takes_part = false;
    std::uint64_t value = 0;    ///< bits, zero-extended
    std::uint64_t argument = 0; ///< of a shuffle: lane or distance, and in the upper half the width
    std::uint64_t result = 0;
};

/// Sets the result of every lane that takes part. What a lane reads from one that does not is
/// undefined on a device; here it is all ones, which as a float is not a number.
void run_warp_operation(WarpOperation operation, std::array<WarpLane, warp_size>& lanes);

} // namespace slimgrad::verify
