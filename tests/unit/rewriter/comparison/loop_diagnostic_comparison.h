#pragma once

#include "tests/unit/rewriter/comparison/compared_module.h"

namespace slimgrad {

/// The places of what the compiler says of loops; also of a module that it rejects.
void compare_loop_diagnostics(ComparedModule& module);

} // namespace slimgrad
