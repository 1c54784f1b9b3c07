#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// One function of the module's own part of a CUDA text.
struct CudaFunction {
    std::string name; ///< as in the text: "gradMain", "__kernel__train_bwd_diff", "s_bwdProp_f_0"
    bool kernel = false;   ///< __global__
    bool exported = false; ///< a device function that others can call: [CudaDeviceExport]
    bool backward = false; ///< it, or what it calls, is part of a generated backward pass
};

/// What has to be known of a CUDA text before nvcc sees it.
struct CudaText {
    std::vector<CudaFunction> functions; ///< in the text's order
    std::vector<std::string>
        defines; ///< what Slang's prelude needs for the types in use, e.g. SLANG_CUDA_ENABLE_HALF=1

    bool has_kernel() const;
};

/// Reads text as slangc writes it: Slang's prelude, which is passed over, then the module. It is a
/// scan for function definitions and the names they use, no C++ parser: it does not resolve
/// overloads, macros or templates.
CudaText read_cuda_text(std::string_view text);

/// The name a kernel has in the shader: [CUDAKernel] functions lose Slang's `__kernel__`, `main`
/// gets its name back. The differentiated forms of a [CUDAKernel] keep their suffix:
/// "train_bwd_diff".
std::string shader_name(std::string_view cuda_name);

} // namespace slimgrad
