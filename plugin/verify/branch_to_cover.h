#pragma once

#include "rewriter/result.h"

#include <array>
#include <cstdint>
#include <string>

namespace slimgrad::verify {

/// A branch that the comparison has to take both ways, as the shader has it, or a choice between
/// two values, each of which it has to make; or a loop, whose tests are none.
struct BranchToCover {
    enum class Kind {
        two_ways,  ///< `if`, `?:`
        labels,    ///< `switch`: every label has to be reached
        selection, ///< `select`, `?:`: both values, in every component
        maximum,   ///< `max`, the lower bound of `clamp` and `saturate`, `abs`
        minimum,   ///< `min`, the upper bound of `clamp` and `saturate`
        loop,
    };
    Place place;                 ///< of its condition, or of the call
    std::uint32_t last_line = 0; ///< of its condition
    Kind kind = Kind::two_ways;
    std::string function; ///< that holds it
    /// Of a maximum or minimum: its name, and its two values where each of them has to be the
    /// result once; "" for one that need not.
    std::string callee;
    std::array<std::string, 2> values;
};

} // namespace slimgrad::verify
