#pragma once

#include "plugin/verify/value_text.h"
#include "rewriter/module_model.h"

namespace slimgrad::verify {

/// What `[DerivativeMember(D.name)]` says of the fields of the module's structures.
DerivativeMembers derivative_members(const ModuleModel& model);

} // namespace slimgrad::verify
