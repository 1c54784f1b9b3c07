#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Slang accepted the module, but nvcc or the C++ compiler rejects what Slang emitted for it.
std::vector<Finding> emitted_code(const RuleInput& input);

} // namespace slimgrad
