#include "plugin/trial/trial_journal.h"

namespace slimgrad {
namespace {

std::vector<std::string> descriptions(const std::vector<TriedFix>& steps) {
    std::vector<std::string> texts;
    for (const TriedFix& step : steps)
        texts.push_back(step.fix.description);
    return texts;
}

} // namespace

void TrialJournal::note(const std::vector<TriedFix>& steps,
                        const std::vector<Candidate>& candidates) {
    for (const Candidate& candidate : candidates) {
        if (!candidate.trial || !noted_.insert(candidate.trial).second)
            continue;
        const TriedFix& tried = candidate.tried;
        TriedCombination combination{descriptions(steps), tried.outcome, tried.why,
                                     tried.evidence.after, candidate.trial->texts};
        combination.fixes.push_back(tried.fix.description);
        combinations_.push_back(std::move(combination));
    }
}

void TrialJournal::note(const std::vector<TriedFix>& steps,
                        const std::vector<const Candidate*>& fixes, const Trial& trial,
                        const Judgement& judgement) {
    if (!noted_.insert(&trial).second)
        return;
    TriedCombination combination{descriptions(steps), judgement.outcome, judgement.why,
                                 std::nullopt, trial.texts};
    if (trial.measured())
        combination.figures = trial.figures();
    for (const Candidate* fix : fixes)
        combination.fixes.push_back(fix->tried.fix.description);
    combinations_.push_back(std::move(combination));
}

} // namespace slimgrad
