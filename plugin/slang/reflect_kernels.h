#pragma once

#include "plugin/slang/generated_code.h"
#include "plugin/slang/reflection.h"

#include <slang.h>

namespace slimgrad::slang_plugin {

/// Matches entry points with the functions of the generated text: fills in `code_name`, and adds
/// the [CUDAKernel] functions, which Slang does not reflect as entry points. Their parameters are
/// laid out as a C structure, which is how CUDA passes them.
void reflect_kernels(slang::ISession& session, slang::DeclReflection& module,
                     const GeneratedCode& code, Reflection& reflection);

} // namespace slimgrad::slang_plugin
