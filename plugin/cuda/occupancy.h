#pragma once

#include "rewriter/result.h"

#include <cstdint>
#include <string_view>

namespace slimgrad {

/// What bounds the number of warps on one multiprocessor of an architecture.
struct MultiprocessorLimits {
    std::uint32_t max_warps = 0;
    std::uint32_t max_blocks = 0;
};

/// `arch` as nvcc takes it: "sm_89", "sm_90a", "compute_120".
/// Error: an architecture that is not known here, which names those that are.
Result<MultiprocessorLimits> multiprocessor_limits(std::string_view arch);

/// Warps that one multiprocessor holds at a time, bounded by registers, warps and blocks, not by
/// shared memory, which is a launch's choice. Whole blocks only; 0: such a block cannot be
/// launched.
std::uint32_t warps_per_multiprocessor(const MultiprocessorLimits& limits, std::uint32_t registers,
                                       std::uint32_t block_size);

} // namespace slimgrad
