#pragma once

#include "rewriter/module_model.h"

#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

/// The inputs that may decide when the loop ends: "gDt", "params.step". Follows the names in its
/// condition, and in its body where a break leaves it, to all that is ever assigned to them: rather
/// too many than too few, each once, in the order they are met; only where these names lead to no
/// input also those in the body. Nothing: one of the names cannot be followed.
std::optional<std::vector<std::string>> loop_inputs(const ModuleModel& model, Index loop);

} // namespace slimgrad
