#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Slang accepted the module, but nvcc rejects what Slang emitted for it. What g++ rejects is the
/// verification's to say.
std::vector<Finding> emitted_code(const RuleInput& input);

} // namespace slimgrad
