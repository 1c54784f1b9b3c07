#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Unrolled loops that hand a differentiable value from trip to trip through a call: slangc's time
/// doubles with every trip. An error, with a fix, where slangc did not come to an end; else a note,
/// as the time is none of the figures that decide.
///
/// Example: `[ForceUnroll] for (int i = 0; i < 24; ++i) v = stepOnce(v);`
std::vector<Finding> unroll_blowup(const RuleInput& input);

} // namespace slimgrad
