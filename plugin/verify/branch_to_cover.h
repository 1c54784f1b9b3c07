#pragma once

#include "rewriter/result.h"

#include <cstdint>
#include <string>

namespace slimgrad::verify {

/// A branch that the comparison has to take both ways, as the shader has it; or a loop, whose tests
/// are none.
struct BranchToCover {
    enum class Kind {
        two_ways, ///< `if`, `?:`
        labels,   ///< `switch`: every label has to be reached
        loop,
    };
    Place place;                 ///< of its condition
    std::uint32_t last_line = 0; ///< of its condition
    Kind kind = Kind::two_ways;
    std::string function; ///< that holds it
};

} // namespace slimgrad::verify
