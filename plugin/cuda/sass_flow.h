#pragma once

#include "plugin/cuda/sass.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace slimgrad {

/// Instructions that run one after the other.
struct SassBlock {
    std::size_t begin = 0, end = 0; ///< of the instructions
    std::vector<std::size_t> next;  ///< blocks
    bool reachable = false;         ///< not padding, and not the endless loop that ends a function
};

/// A natural loop: what can come back to a block that all ways into it lead through.
struct SassLoop {
    std::size_t header = 0;           ///< a block
    std::vector<std::size_t> blocks;  ///< sorted, the header and those of inner loops too
    std::vector<std::size_t> latches; ///< the blocks that lead back to the header

    bool holds(std::size_t block) const;
};

/// A call of a function in the same section.
struct SassCall {
    std::size_t from = 0, to = 0; ///< blocks
};

struct SassFlow {
    std::vector<SassBlock> blocks;
    std::vector<SassLoop> loops; ///< inner ones before those around them
    std::vector<SassCall> calls;
};

/// The flow of control by branches and labels. BSYNC falls through, as it stands where its BSSY
/// points to; a call comes back, but for one of a label that is no function's, which is how ptxas
/// leaves some loops.
SassFlow read_flow(const SassCode& code);

} // namespace slimgrad
