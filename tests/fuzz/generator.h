#pragma once

#include "tests/fuzz/program.h"

#include <cstdint>

namespace slimgrad::hunt {

/// A random program: helpers with loops, branches, structures, arrays and buffer reads, and a
/// function over them that is differentiated. The same seed gives the same program. Its values stay
/// near 1 and it is smooth but at the thresholds of its conditions, so that a gradient can be told
/// from a wrong one. No index leaves its array, no loop exceeds its bound.
Program generate(std::uint64_t seed);

} // namespace slimgrad::hunt
