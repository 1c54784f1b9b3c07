#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// The form of each loop in differentiated code: unrolled, its values are variables; as a loop,
/// they are stored once per trip, and the backward pass replays the trips. Which one is cheaper
/// cannot be told from the text, so each is offered where the other one stands, and trials decide.
///
/// Offered only where there is something to gain: the function stores values, or, for loops that
/// are unrolled, a backward kernel needs so many registers that fewer warps fit. A bound is written
/// only where it is proved for every build; a loop is unrolled only where its trip count is a
/// constant and slangc can be expected to finish. Two nested loops are never left as loops with
/// unequal bounds, which Slang miscompiles (nested-bounds).
std::vector<Finding> loop_replay(const RuleInput& input);

} // namespace slimgrad
