#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slimgrad {

/// Whether a kernel runs a generated backward pass.
enum class Direction { forward, backward };

/// What ptxas made of one kernel. All bytes per thread, except code_bytes.
struct KernelFigures {
    std::string name; ///< as in the shader: "gradMain"; "train_bwd_diff" for a [CUDAKernel] train
    Direction direction = Direction::forward;
    bool device_function =
        false; ///< [CudaDeviceExport] code without __global__: figures from .nv.info
    std::uint32_t registers = 0;
    std::uint32_t stack_bytes = 0;
    std::uint32_t spill_store_bytes = 0;
    std::uint32_t spill_load_bytes = 0;
    std::uint32_t code_bytes = 0;
    std::uint32_t local_loads = 0;     ///< LDL instructions
    std::uint32_t local_stores = 0;    ///< STL instructions
    std::uint32_t global_loads = 0;    ///< LDG, LD
    std::uint32_t global_stores = 0;   ///< STG, ST
    std::uint32_t atomics = 0;         ///< RED, ATOM
    std::uint32_t shared_accesses = 0; ///< LDS, STS, ATOMS
    std::uint32_t instructions = 0;    ///< without padding; 0: the code was not read
    std::uint32_t loops = 0;           ///< in the code, where some are unrolled
    std::uint32_t unknown_loops = 0;   ///< those that the next two count as if they ran once
    std::uint64_t executed = 0;        ///< estimate: instructions that a thread runs at most
    std::uint64_t estimate = 0;        ///< estimate: the same in issue slots (sass_cost.h)
    std::uint32_t warps_per_sm = 0;    ///< by registers, at block_size threads
    std::uint32_t block_size = 128;    ///< the kernel's own if 32 or more, else 128

    friend bool operator==(const KernelFigures&, const KernelFigures&) = default;
};

} // namespace slimgrad
