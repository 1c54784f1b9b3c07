#pragma once

#include "tests/fuzz/program.h"

#include <vector>

namespace slimgrad::hunt {

/// All programs that are one step smaller, well-formed, in an order from large parts to small ones:
/// without a statement, a loop or branch replaced by its body, an expression by one of its operands
/// or a literal, a loop with fewer trips or of a plainer kind, without a parameter. The size
/// (size_of) of each is less. They do not compute the same.
std::vector<Program> simplifications(const Program& program);

/// Without functions that are not called and structures that are not used.
Program without_unused(Program program);

} // namespace slimgrad::hunt
