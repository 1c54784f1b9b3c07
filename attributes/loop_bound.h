#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Bounds of loops in differentiated code ([MaxIters(N)]): missing where the compiler wants one,
/// larger than the trip count (memory for nothing), smaller than it (memory corruption without a
/// diagnostic), or not provable (a note says what is assumed). A bound is offered only when it is
/// proved; it is written with the loop's own expression where that is constant.
std::vector<Finding> loop_bound(const RuleInput& input);

} // namespace slimgrad
