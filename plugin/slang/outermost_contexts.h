#pragma once

#include "plugin/slang/compiler.h"
#include "plugin/slang/generated_code.h"

#include <vector>

namespace slimgrad::slang_plugin {

/// Sets `outermost` of each context by the code that was generated from the same module.
///
/// The report does not say which contexts live inside another one. The code does: the backward pass
/// of an instance of F is a function `s_bwdProp_F_n`. Where only other backward passes call it, the
/// context of F is stored inside their context or made again while they run (a recomputed callee),
/// and its bytes are no further cost. Where anything else calls it (the wrapper that `bwd_diff(F)`
/// becomes, or the kernel that a `[CUDAKernel] [Differentiable]` function gets), F is outermost.
/// Notes and instances of one name are matched by size, smallest first. What has no such function
/// in the code counts as outermost.
void mark_outermost(const GeneratedCode& code, std::vector<CheckpointContext>& contexts);

} // namespace slimgrad::slang_plugin
