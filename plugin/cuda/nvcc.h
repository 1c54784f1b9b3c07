#pragma once

#include "plugin/cuda/kernel_figures.h"
#include "plugin/process/process.h"
#include "rewriter/result.h"

#include <map>
#include <string>
#include <vector>

namespace slimgrad {

struct NvccOptions {
    std::string arch = "sm_89";
    bool fast_math = true;                    ///< --use_fast_math
    std::vector<std::string> extra_arguments; ///< --nvcc-arg, in order
    /// Threads per block by kernel name, for occupancy; what is missing or under 32 counts as 128.
    std::map<std::string, std::uint32_t> block_sizes;
    ProcessLimits limits{std::chrono::milliseconds{120'000}, 8ull << 30, 64ull << 20};
};

enum class NvccStatus { succeeded, rejected, crashed, timed_out, out_of_memory };

struct NvccResult {
    NvccStatus status = NvccStatus::succeeded;
    std::string detail;                 ///< for all but succeeded: one line; of a rejection the first error with its place
    std::vector<KernelFigures> kernels; ///< in the text's order
    std::string command;                ///< what was run, for the report

    bool succeeded() const { return status == NvccStatus::succeeded; }
};

/// nvcc, ptxas and nvdisasm: CUDA_HOME or CUDA_PATH if set, else what scripts/setup left in .deps (known from the build).
struct CudaToolkit {
    std::string nvcc, nvdisasm;

    /// Error: a toolkit that is set and does not work, or none at all. Another one is never used in its place.
    static Result<CudaToolkit> find();
};

/// Compiles CUDA text to a cubin and reads every kernel's figures. `half` types are switched on where the text uses them,
/// -rdc=true where it has no __global__ function.
/// Error: the tools cannot be run. What nvcc makes of the text is in the result, failures included.
Result<NvccResult> measure(const CudaToolkit& toolkit, const std::string& cuda_text, const NvccOptions& options);

} // namespace slimgrad
