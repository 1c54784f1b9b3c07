#pragma once

#include "plugin/slang/compiler.h"
#include "plugin/verify/module_verifier.h"
#include "rewriter/module_model.h"
#include "rewriter/result.h"

namespace slimgrad {

/// A variant of a module with what the verification has to know of it.
struct LoadedModule {
    ModuleVariant source;
    CompileResult cuda;
    ModuleModel model;

    ModuleView view() const { return {source, &cuda, &model}; }
};

/// Compiles the module for CUDA and reads its files. Error: it does not compile (the compiler's own
/// words), a file cannot be read, or the compiler cannot be started.
Result<LoadedModule> load_module(SlangCompiler& compiler, const ModuleVariant& variant);

} // namespace slimgrad
