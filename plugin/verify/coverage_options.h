#pragma once

#include "attributes/rule.h"
#include "plugin/verify/module_kernels.h"

#include <string>

namespace slimgrad {

/// `options` for a comparison of two variants (of one alone: twice the same object), with what is
/// promised of their inputs, and with the loops and branches that the inputs have to exercise.
VerifyOptions with_coverage(const ModuleView& original, const ModuleView& rewritten,
                            const std::string& entry_point, const VerifyOptions& options,
                            const Promises& promises);

} // namespace slimgrad
