#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Long loops that store their state in each trip: with a block of about sqrt(N) trips in a
/// function of its own, they store it once for each block, and the trips of a block while that is
/// differentiated.
///
/// Example: 64 trips as 8 calls of `odeSegment`, which has a loop of 8. Where the number of trips
/// is no multiple, the last trips of the last call do nothing.
std::vector<Finding> segment_loop(const RuleInput& input);

} // namespace slimgrad
