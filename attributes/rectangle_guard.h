#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Loops whose end or start follows the counter of a loop around them: slangc does not unroll them,
/// and stores what they count. Run to the same end in every trip, with a test of what was the end
/// in the body, they can be unrolled.
///
/// Example: `for (int m = 0; m < l; ++m) t *= x;` in a loop over l from 0 to 3 ->
/// `for (int m = 0; m < 3; ++m) if (m < l) t *= x;`
std::vector<Finding> rectangle_guard(const RuleInput& input);

} // namespace slimgrad
