#pragma once

#include "plugin/verify/cpp_text.h"
#include "plugin/verify/verify.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// What the inputs did not reach.
struct CoverageGap {
    Place place;
    std::string reason; ///< "loop at f.slang:12 never ran with 0 and 7 trips; give `outb[1] = [0,
                        ///< 8]` under [inputs]"
};

/// The first loop that has not been exercised. A loop with a fixed trip count has to be entered;
/// one whose trip count is an input has to run with 0, 1, N-1 and N trips. Loops that the entry
/// point does not reach, and unrolled ones, need nothing. `heads`: by emitted loop, how often runs
/// of it passed its head. A trip is a pass through the whole body: one that ends in `break` is
/// none.
std::optional<CoverageGap> find_gap(const std::vector<LoopToCover>& loops,
                                    const std::vector<EmittedLoop>& emitted,
                                    const std::map<std::uint32_t, std::set<std::uint64_t>>& heads);

/// The first loop that is making more trips than its attribute allows or, without one, than its
/// bound. `heads`: of the loops that run.
const LoopToCover* beyond_bound(const std::vector<LoopToCover>& loops,
                                const std::vector<EmittedLoop>& emitted,
                                const std::map<std::uint32_t, std::set<std::uint64_t>>& heads);

/// Whether nothing but a promise keeps the loop within what its attribute allows: inputs that were
/// not meant may exceed it. Not so where the loop's own numbers say that it makes more trips.
bool is_promise(const LoopToCover& loop);

/// Whether a differentiated loop runs that is none of `loops`, one that a macro makes for example:
/// how often it may run is not known. `heads`: of the loops that run.
bool runs_unknown_loop(const std::vector<LoopToCover>& loops,
                       const std::vector<EmittedLoop>& emitted,
                       const std::map<std::uint32_t, std::set<std::uint64_t>>& heads);

} // namespace slimgrad::verify
