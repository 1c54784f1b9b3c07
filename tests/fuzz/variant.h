#pragma once

#include "tests/fuzz/program.h"

#include <string>
#include <vector>

namespace slimgrad::hunt {

/// One way to write a program; all ways compute the same.
struct Variant {
    std::string name; ///< "inferred", "max-iters", "unrolled", ...
    Program program;
};

/// The variants of a program. None is the same as another:
///     inferred       attributes only where Slang finds no bound by itself
///     max-iters      [MaxIters] on every loop, with its trips
///     equal-bounds   the same, all loops of a function with the largest of their bounds
///     unrolled       [ForceUnroll] on innermost loops with few trips that are known
///     recompute      [PreferRecompute] on every helper
///     checkpoint     [PreferCheckpoint] on every helper
///     outlined       inner loops are functions of their own
/// Where "inferred" has loops of unequal bounds, known to be wrong, the bounds of unrolled,
/// recompute and checkpoint are those of "equal-bounds".
std::vector<Variant> variants_of(const Program& program);

/// The variant of that name; the program itself has to have no attributes.
Program variant_of(const Program& program, const std::string& name);

/// The program with every loop that stands in another one moved into a function; what it changes
/// becomes an inout parameter. A loop that returns or has a flag stays.
Program outline_inner_loops(const Program& program);

} // namespace slimgrad::hunt
