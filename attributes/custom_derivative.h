#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Functions that have a derivative of their own, with what slangc's would cost instead, and
/// functions with a solver's loop, whose author may know a derivative that stores nothing.
///
/// Example: `[BackwardDerivative(rootBackward)] float root(float x)`, as a trial
/// `[Differentiable] float root(float x)`.
std::vector<Finding> custom_derivative(const RuleInput& input);

} // namespace slimgrad
