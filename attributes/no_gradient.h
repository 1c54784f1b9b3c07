#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Kernels that are differentiated, and functions that bwd_diff takes, which give no gradient to
/// anything: proved by their text, or seen when they ran (GradientFact::Kind::no_gradient).
///
/// Example: `[CUDAKernel] [Differentiable] void cube(TensorView<float> a, TensorView<float> b)`.
std::vector<Finding> no_gradient(const RuleInput& input);

} // namespace slimgrad
