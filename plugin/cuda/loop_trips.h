#pragma once

#include <cstdint>
#include <string>

namespace slimgrad {

/// What is known of how often a loop of a source file runs.
struct LoopTrips {
    std::string file;                            ///< as #line names it
    std::uint32_t first_line = 0, last_line = 0; ///< from the keyword to the end of the body
    std::uint64_t trips = 0;                     ///< at most; 0: not known
    std::uint64_t step = 1;                      ///< of its counter
};

} // namespace slimgrad
