#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Arrays of which a loop reads and sets one element in each trip: slangc stores the whole array
/// for every trip. Unrolled, or with what is set in an array of its own, it is not.
///
/// Example: `for (..i..) a[i] = f(a[i]);` -> `for (..i..) aNext[i] = f(a[i]);`, and `aNext` behind
/// the loop. An array that is only set is not stored.
std::vector<Finding> carried_array(const RuleInput& input);

} // namespace slimgrad
