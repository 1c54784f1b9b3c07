#pragma once

#include "plugin/trial/candidate.h"
#include "plugin/trial/trial_journal.h"

#include <optional>
#include <vector>

namespace slimgrad {

/// Several fixes made at once.
struct Together {
    const Trial* trial = nullptr;
    std::vector<const Candidate*> fixes; ///< in the order of the candidates
};

/// The fixes that are each worth applying on top of `current`, made all at once, if that is better
/// than the best of them alone and brings no new warning or error: one step instead of as many
/// rounds of trials as there are fixes. Those that do nothing beside the others are not among them.
/// `candidates`: the best first, all of `current`, to which `steps` have led. `with_minor`: also
/// those whose gain is minor. Verifies nothing. Nothing: there are no two, or they are not better
/// together.
Result<std::optional<Together>> try_together(TrialLab& lab, const TrialOptions& options,
                                             const Trial& current,
                                             const std::vector<TriedFix>& steps,
                                             const std::vector<Candidate>& candidates,
                                             bool with_minor, TrialJournal& journal);

} // namespace slimgrad
