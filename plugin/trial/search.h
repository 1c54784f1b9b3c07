#pragma once

#include "plugin/trial/candidate.h"
#include "plugin/trial/trial_journal.h"
#include "plugin/trial/trial_lab.h"

#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

/// Greedy search over the fixes that the rules offer for one module.
///
/// Errors first: each alternative of an error's fix, and each cost fix that takes the error with
/// it, is followed as far as the cost fixes on top of it go, and the best result stays. Then, as
/// long as something improves: every fix is tried alone on top of what is there, and those that
/// improve something are taken together, or else the best one that is verified. A fix that brings
/// nothing on top of better ones is not taken. A search (`options.searching`) ends at its time
/// limit with what it has.
///
/// Every text is compared with the original. If the original is wrong, it cannot judge: then
/// another right form of the same fix does, and after that the repaired text.
class Search {
  public:
    /// What is tried is noted in `journal`.
    Search(TrialLab& lab, const TrialOptions& options, TrialJournal& journal)
        : lab_(lab), options_(options), journal_(journal) {}

    struct Outcomes {
        const Trial* final = nullptr;
        std::vector<TriedFix> steps; ///< those that led to it, in order
        std::size_t repairs = 0;     ///< how many of them, from the first, lead to the reference
        std::vector<TriedFix> tried;
        std::optional<VerifyResult>
            verified;                     ///< final against the original, or what stands in for it
        const Trial* reference = nullptr; ///< what it was compared with: the original, or a right
                                          ///< form of it
        bool repaired = false;            ///< the latter
        bool out_of_time = false;         ///< not all was tried
    };

    Result<Outcomes> run(const Trial& original);

  private:
    /// A state of the search: a text, what led to it, and what judges the next step.
    struct State {
        const Trial* current = nullptr;
        const Trial* reference =
            nullptr;           ///< right gradients to compare with; null if there are none yet
        bool repaired = false; ///< the original is wrong, and reference is a right form of it
        std::vector<TriedFix> steps; ///< that led to current, in order
        std::size_t repairs = 0;     ///< of them, those that led to reference
        std::vector<TriedFix> tried;
        std::optional<VerifyResult> verified;
    };

    Result<State> settle(State state, int depth);
    Result<State> make_it_compile(State state);
    Result<State> repair(State state, const Finding& error, int depth);
    Result<State> improve(State state);
    /// Takes all fixes that are worth it at once, if that is verified. False: it is not.
    Result<bool> take_together(State& state, const std::vector<Candidate>& candidates);
    bool time_is_over() const {
        return options_.searching && lab_.spent() >= options_.search_time();
    }
    bool is_better(const Figures& before, const Figures& after) const;
    /// Whether a fix with this outcome becomes part of the result.
    bool wanted(const Fix& fix, Outcome outcome) const;

    TrialLab& lab_;
    const TrialOptions& options_;
    TrialJournal& journal_;
    bool out_of_time_ = false;
};

} // namespace slimgrad
