#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Loops of differentiated code that a `return` leaves, and that store more than if they were left
/// by a `break`: slangc then stores what they carry in each trip, since the rest of the function
/// may run with it or not.
///
/// Example: `for (..) { if (d > cut) return acc * x; .. }` as
///     bool isDone = false;
///     for (..) { if (d > cut) { isDone = true; break; } .. }
///     if (isDone)
///         return acc * x;
std::vector<Finding> exit_flag(const RuleInput& input);

} // namespace slimgrad
