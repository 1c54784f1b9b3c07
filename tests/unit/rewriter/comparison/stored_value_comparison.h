#pragma once

#include "tests/unit/rewriter/comparison/compared_module.h"

namespace slimgrad {

/// The places of what the compiler reports to store for the backward pass: what stands there, and
/// at a call the function whose context is stored.
void compare_stored_values(ComparedModule& module);

} // namespace slimgrad
