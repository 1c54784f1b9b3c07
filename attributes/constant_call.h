#pragma once

#include "attributes/constants.h"
#include "rewriter/module_model.h"

#include <optional>
#include <string>

namespace slimgrad {

/// The size of an array by `getCount()`, and what a call of a function of the module gives whatever
/// its arguments and its object are, in the caller's words: "6" where its body is `return 6;`, "4"
/// or "N" where that is `return K;` of a `W<let K : int>` whose object is a W<4> or a W<N>. Notes
/// in `traits` what it rests on.
std::optional<std::string> constant_result(const ModuleModel& model, Index call,
                                           ConstantTraits& traits);

} // namespace slimgrad
