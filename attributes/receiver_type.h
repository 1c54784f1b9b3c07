#pragma once

#include "rewriter/module_model.h"

#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

/// The generic arguments of the type whose method is called: of the receiver's type, of "Net<8>" in
/// `Net<8>.f()`, or of a constructor's own. Nothing where that is another type, or not known.
std::optional<std::vector<std::string>> receiver_arguments(const ModuleModel& model, Index call,
                                                           const Function& function);

} // namespace slimgrad
