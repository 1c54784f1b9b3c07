#pragma once

#include "plugin/cuda/loop_trips.h"
#include "plugin/cuda/sass.h"

#include <cstdint>
#include <vector>

namespace slimgrad {

/// What one function's code costs, by reading it. Counts are of instructions that stand in the
/// code; padding is none of it.
struct SassCost {
    std::uint32_t instructions = 0;
    std::uint32_t local_loads = 0, local_stores = 0;   ///< LDL, STL
    std::uint32_t global_loads = 0, global_stores = 0; ///< LDG and LD, STG and ST
    std::uint32_t atomics = 0;                         ///< RED, ATOM, ATOMG
    std::uint32_t shared_accesses = 0;                 ///< LDS, STS, ATOMS
    std::uint32_t loops = 0;
    std::uint32_t unknown_loops = 0; ///< whose trips are not known: they count as one trip
    double executed = 0; ///< instructions that a thread runs, as if it took no way around any
    double slots = 0;    ///< the same in issue slots
};

/// An estimate. A loop counts as often as it may run at most: by the register that it counts in,
/// where that begins and ends with constants, and by `trips` of the innermost source loop whose
/// lines its branches stand on. Where it is unrolled, a trip in the shader is not one in the code:
/// the counter's step tells.
///
/// An instruction takes one issue slot, an access to memory as many as it moves bytes for a thread,
/// at least four: a multiprocessor issues instructions of four warps in a clock, and its
/// first-level cache gives or takes 128 bytes, four for each thread of one warp. That is the best
/// case, which large frames of many threads do not see; functions of special hardware (MUFU) take
/// more as well.
SassCost estimate_cost(const SassCode& code, const std::vector<LoopTrips>& trips);

} // namespace slimgrad
