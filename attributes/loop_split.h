#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Long loops that store their state in each trip: as a loop over blocks of trips that are
/// unrolled, they store it in each block.
///
/// Example: 48 trips as 6 blocks of 8 store 8 slots in place of 50. The body stays what it is;
/// where the number of trips is no multiple, the last trips of the last block do nothing.
std::vector<Finding> loop_split(const RuleInput& input);

} // namespace slimgrad
