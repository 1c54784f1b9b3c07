#pragma once

#include "plugin/verify/branch_text.h"
#include "plugin/verify/branch_to_cover.h"
#include "plugin/verify/coverage.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// The first branch that went one way only. Each condition that the compiler made of the branch
/// (two of `a && b`) has to hold and not to hold, in any of its copies. Copies are told by their
/// words; where these differ, one function that has them all is enough. Copies that the entry point
/// does not run count only where it runs none: then the branch was never reached. Where only the
/// backward pass has it, at some line of its own, it is found by its function; then the place may
/// be that of another branch of this function. Branches that are not in the emitted code were
/// decided when it was compiled; they need nothing. All copies of a maximum or minimum in one
/// function have to be seen: they may be several of one line. `ways`: those that were taken.
std::optional<CoverageGap> find_branch_gap(const std::vector<BranchToCover>& branches,
                                           const std::vector<EmittedBranch>& emitted,
                                           const std::set<std::uint32_t>& ways);

} // namespace slimgrad::verify
