#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Kernels whose stack frame is more than a target can launch, or more than it should hold for
/// every thread (plugin/cuda/frame_size.h has the limits).
std::vector<Finding> frame_limit(const RuleInput& input);

} // namespace slimgrad
