#pragma once

#include "plugin/cuda/cuda_toolkit.h"
#include "plugin/cuda/kernel_figures.h"
#include "plugin/cuda/loop_trips.h"
#include "plugin/process/process.h"
#include "rewriter/result.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace slimgrad {

class ResultCache;

struct NvccOptions {
    std::string arch = "sm_89";
    bool fast_math = true;                    ///< --use_fast_math
    std::vector<std::string> extra_arguments; ///< --nvcc-arg, in order
    /// Threads per block by kernel name, for occupancy; what is missing or under 32 counts as 128.
    /// The differentiated forms of a [CUDAKernel] take what is given for the kernel itself.
    std::map<std::string, std::uint32_t> block_sizes;
    /// Also reads the disassembled code: what a kernel's figures say of instructions, global and
    /// shared memory and loops, 0 otherwise. nvdisasm takes 0.2 s to start, whatever it reads.
    bool estimate = false;
    std::vector<LoopTrips> loop_trips; ///< of the shader's loops, those that are not known too
    ProcessLimits limits{std::chrono::milliseconds{120'000}, 4ull << 30,
                         64ull << 20}; ///< of each program
    /// Of `measure`. Null: every text is compiled.
    std::shared_ptr<ResultCache> cache = nullptr;
};

enum class NvccStatus {
    succeeded,
    rejected,
    crashed,
    timed_out,
    out_of_memory,
    killed, ///< by somebody else, each time it was started: nothing is known of the text
};

struct NvccResult {
    NvccStatus status = NvccStatus::succeeded;
    std::string detail; ///< for all but succeeded: one line; of a rejection the first error
    Place place; ///< of a rejection: the shader's, by the text's #line; empty where nvcc names none
    std::vector<KernelFigures> kernels;    ///< in the text's order
    std::chrono::milliseconds duration{0}; ///< that it took
    std::string command;     ///< nvcc's arguments, for the report: "nvcc -cubin -arch=sm_89 ..."
    bool remembered = false; ///< by the cache; not compiled this time

    bool succeeded() const { return status == NvccStatus::succeeded; }
};

/// What nvcc made of a text that a driver is to compile for its device.
struct PtxResult {
    NvccStatus status = NvccStatus::succeeded;
    std::string detail; ///< for all but succeeded, as in NvccResult
    Place place;
    std::string ptx;

    bool succeeded() const { return status == NvccStatus::succeeded; }
};

/// Compiles CUDA text to PTX for the virtual architecture of `options.arch`, with the other options
/// as they are. Error: nvcc cannot be run, or refuses its arguments.
Result<PtxResult> compile_to_ptx(const CudaToolkit& toolkit, const std::string& cuda_text,
                                 const NvccOptions& options);

/// The plain name of a function by its symbol: "__kernel__train" of
/// "_Z15__kernel__train10TensorView"; a symbol that is not mangled is its own.
std::string plain_name(const std::string& symbol);

/// Compiles CUDA text to a cubin and reads every kernel's figures. `half` types are switched on
/// where the text uses them, -rdc=true where it has no __global__ function: then the figures are
/// those of the exported device functions, calls included. Error: the tools cannot be run, or
/// refuse their arguments. What nvcc makes of the text is in the result, failures included.
/// Threads that share a cache compile the same text once.
Result<NvccResult> measure(const CudaToolkit& toolkit, const std::string& cuda_text,
                           const NvccOptions& options);

} // namespace slimgrad
