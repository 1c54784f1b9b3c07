#pragma once

#include "plugin/slang/reflection.h"

#include <slang.h>
#include <string>
#include <vector>

namespace slimgrad::slang_plugin {

/// Adds the [CUDAKernel] functions, which Slang does not reflect as entry points: `kernels` are the
/// __global__ functions of the CUDA text. Their parameters are laid out as a C structure, which is
/// how CUDA passes them.
void reflect_kernels(slang::ISession& session, slang::DeclReflection& module,
                     const std::vector<std::string>& kernels, Reflection& reflection);

} // namespace slimgrad::slang_plugin
