#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Whether attributes may be put above the function: it has a body, and its head stands in a file
/// of the project, in no macro and no syntax error.
bool can_edit_head(const RuleInput& input, const Function& function);

} // namespace slimgrad
