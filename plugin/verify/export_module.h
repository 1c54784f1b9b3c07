#pragma once

#include "plugin/slang/compiler.h"
#include "plugin/verify/exported_functions.h"
#include "plugin/verify/module_variant.h"
#include "rewriter/module_model.h"
#include "rewriter/result.h"

#include <optional>
#include <vector>

namespace slimgrad::verify {

/// A module with an entry point for each of its [CudaDeviceExport] functions, compiled for CUDA.
struct ExportModule {
    ModuleVariant source;
    CompileResult cuda; ///< may have failed
    ModuleModel model;
    std::vector<ExportedFunction> functions;
};

/// Nothing: the module has no such function. Error: the compiler cannot be started.
Result<std::optional<ExportModule>> compile_export_module(SlangCompiler& compiler,
                                                          const ModuleVariant& variant,
                                                          const ModuleModel& model);

} // namespace slimgrad::verify
