#pragma once

#include "plugin/verify/input_plan.h"
#include "plugin/verify/kernel_run.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace slimgrad::verify {

/// How large the buffers and tensors of an entry point have to be, as runs with checked indices
/// show.
struct BufferGrowth {
    std::map<std::string, std::uint64_t> elements; ///< of buffers that had to grow
    /// By tensor and dimension, of those that had to.
    std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> tensor_sizes;

    /// Whether more memory would hold the index that left a buffer in this run: noted if so.
    bool note_larger(const KernelRun& run, const InputPlan& plan);
    /// Whether the buffer that was left is smaller than usual: noted if so.
    bool note_usual(const KernelRun& run, const InputPlan& plan);
    /// Gives the plan what was noted.
    void apply(InputPlan& plan) const;
};

} // namespace slimgrad::verify
