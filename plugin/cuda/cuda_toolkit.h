#pragma once

#include "rewriter/result.h"

#include <string>

namespace slimgrad {

/// nvcc and nvdisasm, as absolute paths.
struct CudaToolkit {
    std::string nvcc, nvdisasm;

    /// The toolkit of CUDA_HOME, else of CUDA_PATH, if set; else what scripts/setup left in .deps
    /// (known from the build); else nvcc on PATH. nvdisasm is the one beside nvcc, else the one in
    /// .deps. Error: a toolkit that is set and does not work, or none at all. Another one is never
    /// used in its place.
    static Result<CudaToolkit> find();
};

/// "13.0.88", as `nvcc --version` says it; "" where that is not understood.
std::string nvcc_version(const CudaToolkit& toolkit);

} // namespace slimgrad
