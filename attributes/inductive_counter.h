#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Loops whose counter is stored for each trip, since slangc cannot tell it from the number of the
/// trip: it is multiplied or shifted, steps by a variable, or is stepped in the body.
///
/// Example: `for (int i = 1; i < n; i *= 2) v = f(v, i);` as
///     for (int trip = 0; (1 << trip) < n; trip++)
///     {
///         int i = 1 << trip;
///         v = f(v, i);
///     }
std::vector<Finding> inductive_counter(const RuleInput& input);

} // namespace slimgrad
