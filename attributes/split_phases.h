#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Solvers that are differentiated step by step: the root is found without a derivative, and one
/// Newton step with a slope that has none gives its derivative.
///
/// Example: `float t = 0; for (..) { float v = g(x, t); t += v; if (abs(v) < eps) break; }` becomes
/// `float t = no_diff fSolve(x); t -= fResidual(x, t) / no_diff fSlope(x, t);`.
std::vector<Finding> split_phases(const RuleInput& input);

} // namespace slimgrad
