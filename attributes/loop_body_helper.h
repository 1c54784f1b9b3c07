#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Loops whose body reads or computes what is stored in each trip although it could be computed
/// again: the statements that do, moved into a function that is marked [PreferRecompute]. What
/// carries a value from trip to trip stays in the loop, so that nothing of the moved part is
/// stored.
///
/// Example: `float3 d = lamps[i].position - p; .. sum += lamps[i].power * falloff(d);` becomes
/// `sum += shadeBody(p, i);`.
///
/// Offers nothing where what is read may be written by a thread of the dispatch; `unsafe` where two
/// parameters may alias. A body of which only calls of the module's functions are stored is left to
/// prefer-recompute, unless a search asks.
std::vector<Finding> loop_body_helper(const RuleInput& input);

} // namespace slimgrad
