#pragma once

#include "tests/unit/rewriter/comparison/compared_module.h"

namespace slimgrad {

/// Attributes of declarations with those of the compiler's syntax tree (-dump-ast), those of entry
/// points with reflection.
void compare_attributes(ComparedModule& module);

} // namespace slimgrad
