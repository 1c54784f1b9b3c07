#pragma once

#include "rewriter/module_model.h"

namespace slimgrad {

/// Whether a call of what a variable holds gives it its arguments by value alone: a lambda, a
/// `functype`, what conforms to IFunc or another such interface of the core module. slangc refuses
/// all that would write one (E38105, E38108). False where the variable may hold anything else.
bool takes_values(const ModuleModel& model, const Call& call);

} // namespace slimgrad
