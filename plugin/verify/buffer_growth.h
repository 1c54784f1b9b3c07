#pragma once

#include "plugin/verify/input_plan.h"
#include "plugin/verify/kernel_run.h"
#include "plugin/verify/tensor_layout.h"
#include "plugin/verify/verify.h"

#include <cstdint>
#include <map>
#include <string>

namespace slimgrad::verify {

/// How large the buffers and tensors of an entry point have to be, as runs with checked indices
/// show.
struct BufferGrowth {
    std::map<std::string, std::uint64_t> elements; ///< of buffers that had to grow
    TensorSizes tensor_sizes;                      ///< of those that had to

    /// Whether more memory would hold the index that left a buffer in this run: noted if so.
    bool note_larger(const KernelRun& run, const InputPlan& plan);
    /// Whether the buffer that was left is smaller than usual: noted if so.
    bool note_usual(const KernelRun& run, const InputPlan& plan);
    /// Gives the plan what was noted. `given`: the ranges that it was made with.
    void apply(InputPlan& plan, const InputRanges& given) const;
};

} // namespace slimgrad::verify
