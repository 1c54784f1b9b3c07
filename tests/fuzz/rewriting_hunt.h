#pragma once

#include "tests/fuzz/hunter.h"
#include "tests/fuzz/rewriting.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slimgrad::hunt {

/// A variant whose CUDA text is not what it was after slimgrad-clang rewrote it.
struct RewritingFinding {
    std::uint64_t seed = 0; ///< of the program
    std::string variant;
    Rewriting rewriting;
    RewrittenResult result;
    Program program; ///< the variant; a smaller one that shows the same, where `reduced`
    bool reduced = false;
};

struct RewritingReport {
    int programs = 0, variants = 0;
    /// By rewriting and result: how many variants.
    std::map<std::pair<std::string, Rewritten>, int> counts;
    std::vector<RewritingFinding> findings;
    std::chrono::milliseconds duration{0};
};

/// Generates the programs that run_hunt does, with the same options, and compares the CUDA texts of
/// their variants before and after each rewriting: the default passes always, the heap in one of
/// its layouts after the other. Error: a tool cannot be started.
Result<RewritingReport> hunt_rewriting(const HuntOptions& options,
                                       const std::function<void(const RewritingFinding&)>& found,
                                       const std::function<void(const RewritingFinding&)>& reduced);

/// What happened, and the variant as a module.
std::string describe(const RewritingFinding& finding);

} // namespace slimgrad::hunt
