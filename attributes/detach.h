#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// What tests of loops read of differentiated values: variables that a loop carries for its tests
/// alone, where another form of it need not carry them, and values that tests take without
/// `detach`, which may cost registers.
///
/// Example: `if (abs(v - old) < eps) break; old = v;`.
std::vector<Finding> detach(const RuleInput& input);

} // namespace slimgrad
