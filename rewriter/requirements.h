#pragma once

#include "rewriter/module_model.h"

#include <vector>

namespace slimgrad {

/// The functions of the module's interfaces that a method may implement: of the same name and
/// number of parameters, in an interface that its type names as a base, there or in an extension,
/// also through other interfaces. Their attributes hold for calls through the interface; Slang
/// wants [Differentiable] and [mutating] written at the method, too.
std::vector<Index> requirements_of(const ModuleModel& model, Index function);

} // namespace slimgrad
