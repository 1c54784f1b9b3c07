#pragma once

#include "attributes/outlined_function.h"

#include <string>

namespace slimgrad {

/// What can be moved of a loop as it stands, its attributes included.
CodeToOutline code_of_loop(const Loop& loop);

/// The fix that moves it into the function that was made of code_of_loop. `name` is what the fix
/// calls it, `mark` an attribute of the function beside [Differentiable], or "".
Fix move_loop(const ModuleModel& model, const Loop& loop, const OutlinedFunction& function,
              const std::string& name, const std::string& mark = "");

} // namespace slimgrad
