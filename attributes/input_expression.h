#pragma once

#include "rewriter/module_model.h"

#include <string>

namespace slimgrad {

/// Whether the expression does arithmetic on an input, so that it may skip numbers. min, max, clamp
/// and casts do not, nor do names, followed to their initializers and arguments.
bool is_computed(const ModuleModel& model, const std::string& expression, Index function);

/// The input behind an expression without arithmetic: "outb[1]" of `min(int(outb[1]), 8)`,
/// "params.count" of a local or parameter that is set from it. "" where it is none, or differs
/// between calls.
std::string input_of(const ModuleModel& model, const std::string& expression, Index function);

} // namespace slimgrad
