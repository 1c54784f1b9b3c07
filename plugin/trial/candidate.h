#pragma once

#include "plugin/trial/new_warning.h"
#include "plugin/trial/objective.h"
#include "plugin/trial/trial.h"
#include "plugin/trial/trial_lab.h"

#include <cstddef>
#include <string>
#include <vector>

namespace slimgrad {

/// One fix that may be tried on top of a trial.
struct Offer {
    const Finding* finding = nullptr;
    const Fix* fix = nullptr;
};

/// One fix on top of a trial, with what came of it.
struct Candidate {
    TriedFix tried;
    const Trial* trial = nullptr; ///< null where it could not be made
    bool out_of_time = false;     ///< it was not tried
};

/// What the figures and the compiler's warnings say of a change: `applied` means that it would be
/// worth applying.
struct Judgement {
    Outcome outcome = Outcome::no_effect;
    std::string why;
};

/// Makes the trials with one fix each on top of `current`, in the order of the offers, and judges
/// them. The cheap stages come first, and only what passes them goes on. A search begins none after
/// its time limit but the first few: what is left out is so marked. Verifies nothing.
/// Error: a tool cannot be run.
Result<std::vector<Candidate>> attempt(TrialLab& lab, const TrialOptions& options,
                                       const Trial& current, const std::vector<Offer>& offers);

/// The texts of the trial with `edits` on top. Error: they cannot be combined.
Result<FileTexts> with_edits(const Trial& trial, const std::vector<SourceEdit>& edits);

/// `trial`, several fixes on top of `current`.
Judgement judge(const TrialOptions& options, const Trial& current, const Trial& trial);

/// Whether the compilers made the same of both: the same figures, the same contexts. Their texts
/// may differ.
bool same_result(const Trial& a, const Trial& b);

std::size_t count_errors(const Trial& trial);

/// What it comes to that the trial has no figures: where somebody else killed the compiler, nothing
/// is known of it.
Outcome without_figures(const Trial& trial);

/// Which tool refuses the trial, and its first error. Only where it is not measured.
std::string failure_of(const Trial& trial);

/// Whether the change belongs in the result, as far as figures tell: better, and not only in a
/// minor figure unless those count.
bool improves(const TrialOptions& options, const Figures& before, const Figures& after);

/// Whether the fix is not to be tried on top of anything else either: it does not compile, or it is
/// worse and makes the code several times larger, which costs the compilers' time each time.
bool is_hopeless(const TriedFix& tried);

/// The same fix, whatever text its edits are made for.
std::string key(const Finding& finding, const Fix& fix);

} // namespace slimgrad
