#pragma once

#include "tests/unit/rewriter/comparison/compared_module.h"

namespace slimgrad {

/// The loops of the emitted CUDA or C++ text.
void compare_emitted_loops(ComparedModule& module);

} // namespace slimgrad
