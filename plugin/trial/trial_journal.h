#pragma once

#include "plugin/trial/candidate.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slimgrad {

/// One combination of fixes that was tried.
struct TriedCombination {
    std::vector<std::string> fixes;       ///< descriptions, in the order in which they were made
    Outcome outcome = Outcome::no_effect; ///< of the last one on top of the others
    std::string why;
    std::optional<Figures> figures; ///< where it compiled
    FileTexts texts;                ///< the files that it changes
};

/// What a search has tried, in its order: each text once.
class TrialJournal {
  public:
    /// One fix each on top of `steps`.
    void note(const std::vector<TriedFix>& steps, const std::vector<Candidate>& candidates);
    /// `fixes`, all at once, on top of `steps`, with what became of the figures.
    void note(const std::vector<TriedFix>& steps, const std::vector<const Candidate*>& fixes,
              const Trial& trial, const Judgement& judgement);

    std::vector<TriedCombination> take() { return std::move(combinations_); }

  private:
    std::vector<TriedCombination> combinations_;
    std::set<const Trial*> noted_;
};

} // namespace slimgrad
