#pragma once

#include "plugin/cli/text_report.h"
#include "plugin/trial/trial.h"

#include <string>
#include <vector>

namespace slimgrad {

/// What figures depend on besides the shader: they are recorded with every report.
struct MeasuredWith {
    std::string arch;
    bool fast_math = true;
    std::string slang_version;
    std::vector<std::string> slang_arguments, nvcc_arguments;
};

/// `report` for a person: a table of the kernels, forward before backward, and every checkpoint
/// context with its stored values, largest first.
std::string resource_text(const ModuleReport& report, const MeasuredWith& with,
                          const TextOptions& options);

/// The module's contexts, those with the most bytes first, each with its values in the same order.
std::vector<CheckpointContext> sorted_contexts(const CompileResult& compiled);

/// What has to be said of a module that stores nothing: "" where the contexts speak for themselves.
std::string no_context_reason(const ModuleReport& report);

} // namespace slimgrad
