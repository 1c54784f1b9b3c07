#pragma once

#include "plugin/clang/generated_code.h"
#include "plugin/clang/rewrite.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slimgrad {

/// What a kernel and the functions it calls have in their frames for what the forward pass stores.
struct ContextFrame {
    std::string kernel; ///< as in the text
    Place place;        ///< of the shader
    /// Bytes of all variables that hold a stored context, along the deepest chain of calls. What
    /// the CUDA compiler keeps of them is its own affair: ptxas' figure is the real one, and may be
    /// smaller where copies go, or larger where registers spill.
    std::uint64_t bytes = 0;
};

/// One per __global__ function, in the text's order. A recursion counts once.
std::vector<ContextFrame> context_frames(clang::ASTContext& context, const GeneratedCode& code);

/// Puts the kernels of the text as given into the result, and a note for each whose contexts alone
/// are more than a target should hold (plugin/cuda/frame_size.h), as given or as written.
void report_frames(const std::vector<ContextFrame>& given, const std::vector<ContextFrame>& written,
                   RewriteResult& result);

} // namespace slimgrad
