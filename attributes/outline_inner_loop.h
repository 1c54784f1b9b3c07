#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Loops in loops, whose values are stored for every trip of both. In a function of its own the
/// inner loop stores what one run of it needs, which the backward pass computes again for each trip
/// of the outer loop: checkpoints at two levels.
///
/// Example: 8 frames of 8 substeps store 10 x 10 states; with the substeps in
/// `[Differentiable] void simulateInnerLoop(float drag, inout Body body)`, 10 and again 10.
std::vector<Finding> outline_inner_loop(const RuleInput& input);

} // namespace slimgrad
