#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Parameters of differentiated functions whose derivative nobody uses: they get `no_diff`, so that
/// slangc neither computes it nor stores what only it needs.
///
/// Example: `float run(float3 x, float k)`, where no caller of bwd_diff(run) reads k.d, becomes
/// `float run(float3 x, no_diff float k)`, and `bwd_diff(run)(x, k, 1.0f)` is given k.p.
std::vector<Finding> no_diff_parameter(const RuleInput& input);

} // namespace slimgrad
