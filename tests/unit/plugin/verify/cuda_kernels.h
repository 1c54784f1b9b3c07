#pragma once

#include "cpu_kernels.h"

namespace slimgrad {

/// The shader as `cpu_variant` compiles it, but for CUDA.
inline const CpuVariant& cuda_variant(const std::string& source) {
    return variant_for(SlangTarget::cuda, source);
}

/// What the entry point writes, run once by the cuda machine with these inputs (three blocks).
inline EntryOutputs run_cuda(const std::string& source, const EntryInputs& inputs = {},
                             const std::string& entry_point = "main") {
    const auto result =
        shared_verifier().run_entry(cuda_variant(source), entry_point, {inputs}, {});
    REQUIRE_MESSAGE(result, result.error().message);
    return result->front();
}

} // namespace slimgrad
