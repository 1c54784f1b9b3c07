#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::verify {

/// What `slangc -target cuda` emits, made into C++ for the host: the keywords, types and functions
/// of CUDA (cuda_host/), Slang's own prelude, the kernels as emitted, and for every kernel a
/// function that takes its parameters from memory. The machine behind the functions is in
/// slimgrad-run.
///
///     extern "C" __global__ void f(float a, RWStructuredBuffer<float> b) {...}
///
///     extern "C" __global__ void slimgrad_kernel_f(float a, RWStructuredBuffer<float> b) {...}
///     extern "C" void slimgrad_call_f(void* parameters) {...}   // {float;
///     RWStructuredBuffer<float>}
///
/// Kernels get other names because the C library has its own "remove", "index" and "truncate".
/// `asm` statements, which are PTX, become calls of an interpreter.
struct HostText {
    std::string before;  ///< CUDA and Slang's prelude
    std::string kernels; ///< as emitted, but for PTX
    std::string after;   ///< the functions that call them

    std::string whole() const { return before + kernels + after; }
};

/// Understands the text that slangc writes, not CUDA. `checked`: accesses of TensorView are checked
/// against its sizes, as the macros of the prelude check the other ones.
HostText host_text(std::string_view cuda, bool checked);

/// A kernel of the text, and its parameters as the text declares them.
struct EmittedKernel {
    struct Parameter {
        std::string type, name;
    };
    std::string name;
    std::vector<Parameter> parameters;
    std::size_t name_at = 0; ///< offset of the name in the text
};
std::vector<EmittedKernel> emitted_kernels(std::string_view cuda);

/// The kernel's name in HostText::kernels.
std::string name_on_host(std::string_view kernel);

/// How kernels use their thread's place, tensors and what threads share, as far as the text shows
/// it.
struct CudaUse {
    bool plane = false;           ///< some kernel looks at the y of its place
    std::uint32_t dimensions = 1; ///< of the tensor that is accessed with most coordinates
    bool shared_memory = false, atomics = false;
};
CudaUse cuda_use(std::string_view cuda);

} // namespace slimgrad::verify
