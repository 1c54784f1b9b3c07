#pragma once

#include "rewriter/module_model.h"

namespace slimgrad {

/// Whether the function is named where the model has no call of it: in a macro, as an argument, or
/// in text that is read as something else. Then it may be called there with anything.
bool has_unseen_callers(const ModuleModel& model, Index function);

} // namespace slimgrad
