#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Backward kernels with many registers or spills although the compiler's report says that nothing
/// is stored: what it leaves out are the arguments that are kept of every call until its backward
/// pass. A note, with the calls of which most are kept.
std::vector<Finding> parameter_context(const RuleInput& input);

} // namespace slimgrad
