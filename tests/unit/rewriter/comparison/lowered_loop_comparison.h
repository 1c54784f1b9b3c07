#pragma once

#include "tests/unit/rewriter/comparison/compared_module.h"

namespace slimgrad {

/// The loops of the IR, where the compiler was asked for it (-dump-ir), with their attributes.
void compare_lowered_loops(ComparedModule& module);

} // namespace slimgrad
