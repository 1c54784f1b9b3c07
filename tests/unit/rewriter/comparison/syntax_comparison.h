#pragma once

#include "tests/unit/rewriter/comparison/compared_module.h"

namespace slimgrad {

/// What compiles has no syntax errors.
void compare_syntax(ComparedModule& module);

} // namespace slimgrad
