#pragma once

#include "rewriter/derivative_type.h"

#include <string_view>
#include <vector>

namespace slimgrad {

/// Whether derivatives go through the floating-point arguments of the core module's function or
/// method of this name, to its result. Source: slangc, which rejects a function that loses a
/// derivative in such a call (E41022); a test asks it again.
DerivativeAnswer derivative_of_core_function(std::string_view name);

/// The core functions of which the answer is known: those that carry, or those that do not.
std::vector<std::string_view> core_functions(DerivativeUse use);

} // namespace slimgrad
