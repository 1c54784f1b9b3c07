#pragma once

#include "tests/unit/rewriter/comparison/compared_module.h"

namespace slimgrad {

/// Functions with their parameters as reflection shows them, and that the program, which compares
/// them too (confirm_functions), raises no alarm.
void compare_signatures(ComparedModule& module);

} // namespace slimgrad
