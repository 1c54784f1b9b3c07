#pragma once

#include "plugin/trial/trial.h"
#include "plugin/trial/tuner.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace slimgrad {

/// Everything that is known of modules that were tuned together.
struct TuneReport {
    std::vector<ModuleReport> modules; ///< each with the findings and fixes of its own files
    std::vector<TriedFix> kept;        ///< in the order in which they are made
    std::vector<TriedFix> tried;       ///< each fix once, with what finally became of it
    std::vector<TriedCombination> combinations;
    FileTexts changed; ///< new texts; empty: nothing to gain
    Figures before;
    std::optional<Figures> after;
    std::optional<VerifyResult> verified;
    std::chrono::milliseconds spent{0};     ///< Tuner: what the results took to make
    std::chrono::milliseconds verifying{0}; ///< of that, the verification
    bool out_of_time = false;               ///< not all was tried
};

/// Searches the best combination of fixes for modules that share files (module_groups). Writes
/// nothing. Error: a file cannot be read, or a tool cannot be run.
Result<TuneReport> tune_modules(TrialPool& pool, const std::vector<TrialModule>& modules);

/// Which modules have to be tuned together: two that read a file that may be edited and holds
/// differentiable code. Indices, in their order. A module that does not compile is alone.
Result<std::vector<std::vector<std::size_t>>>
module_groups(TrialPool& pool, const std::vector<TrialModule>& modules);

} // namespace slimgrad
