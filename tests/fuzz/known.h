#pragma once

#include "tests/fuzz/program.h"

#include <set>
#include <string>
#include <string_view>

namespace slimgrad::hunt {

/// What slangc is known to get wrong.
enum class Known {
    /// Two loops around each other in one function, neither unrolled, of which the inner one has
    /// the larger bound or one that is smaller by more than two: what is stored in both is indexed
    /// the wrong way round (shader-slang/slang#13000). [MaxIters] on a `while` loop counts as one
    /// less than on a `for` loop.
    unequal_bounds,
    /// A vector or matrix multiplied with or divided by the very scalar that a loop of the same
    /// function carries: after that loop the product has no gradient.
    carried_factor,
    /// A `while` loop whose body itself holds a loop: slangc fails with an internal error.
    loop_in_while,
    /// A `while` loop that `break` or `return` leaves: what its last trip changed is not in the
    /// gradient.
    left_while,
    /// One array or a copy of it indexed by two expressions, one of which is no literal: where both
    /// have the same value at run time, the gradient of one of them is lost.
    one_element_twice,
    /// A loop or a branch that assigns a component, member or element of one variable and changes
    /// another one of the same type, too, or the same one as a whole: after it one is taken for the
    /// other, or for what it was before.
    carried_part,
    /// A loop or a branch that assigns parts of one variable twice, an unrolled loop counting as
    /// all its trips, and reads that variable as a whole: the gradient is taken at other values.
    part_twice,
    /// An unrolled loop that `break` leaves and that reads a buffer or calls a function: the C++
    /// that slangc emits does not compile.
    unrolled_break_read,
};
/// All of them.
const std::set<Known>& all_known();
std::string_view to_string(Known known);

/// The known shapes that a program has. Looks at the text alone, never at what the program computes
/// or the compiler makes of it. Programs that are compiled well have some of them, too.
std::set<Known> known_shapes(const Program& program);

/// "unequal-bounds, carried-factor"; "" for none.
std::string to_string(const std::set<Known>& shapes);

} // namespace slimgrad::hunt
