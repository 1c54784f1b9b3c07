#pragma once

#include "rewriter/module_model.h"

namespace slimgrad {

/// Whether a `static` global without const keeps the value that it is declared with as far as the
/// module goes: all that its files hold of the name, in branches of #if that are not taken, too, is
/// read by code that the model holds. A module that imports this one might still set it.
bool is_never_written(const ModuleModel& model, const GlobalVariable& global);

} // namespace slimgrad
