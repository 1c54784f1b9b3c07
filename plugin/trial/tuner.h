#pragma once

#include "plugin/trial/candidate.h"
#include "plugin/trial/search.h"
#include "plugin/trial/trial_lab.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slimgrad {

/// One combination of fixes that was compiled.
struct TriedCombination {
    std::vector<std::string> fixes;       ///< descriptions, in the order in which they were made
    Outcome outcome = Outcome::no_effect; ///< of the last one on top of the others
    std::string why;
    std::optional<Figures> figures; ///< where it compiled
    FileTexts texts;                ///< the files that it changes
};

/// Searches combinations of fixes: what an expert does who is not content with the best single one.
///
/// First the greedy search. Then, from where that started and from where it ended: every fix alone,
/// every fix on top of each that is worth it (pairs), and on top of the best of those (a beam),
/// until nothing new is found or the time is over. A fix that is worse in every way is not carried
/// on; one that is better in some figure is, as [MaxIters] and [PreferRecompute] may win only
/// together. A fix that does not compile, or makes the code several
/// times larger and is worse for it, is not tried again. Whatever is better than the best so far is
/// verified before it takes its place. At last each kept fix is taken out once more, and what
/// changes nothing stays out.
///
/// Time is what the compilers and the verification took when their results were made: a run that
/// finds them in the cache ends where the first one did.
class Tuner {
  public:
    Tuner(TrialLab& lab, const TrialOptions& options) : lab_(lab), options_(options) {}

    struct Outcomes {
        const Trial* final = nullptr;
        std::vector<TriedFix> kept;  ///< in the order in which they are made
        std::vector<TriedFix> tried; ///< each fix once, with what finally became of it
        std::vector<TriedCombination> combinations; ///< in the order in which they were tried
        std::optional<VerifyResult> verified;   ///< final against the original, or what stands in
        std::chrono::milliseconds spent{0};     ///< as TrialLab tells it
        std::chrono::milliseconds verifying{0}; ///< of that, the verification
        bool out_of_time = false;
    };

    Result<Outcomes> run(const Trial& original);

  private:
    struct Node {
        const Trial* trial = nullptr;
        std::vector<TriedFix> steps; ///< with the evidence of each on top of those before it
        std::optional<VerifyResult> verified;
    };

    Result<void> widen();
    Result<std::vector<Node>> expand(const Node& node);
    Result<void> take_the_best(std::vector<Node> children);
    std::vector<Node> beam(std::vector<Node> children) const;
    /// Compares with what the gradients have to be. False: it must not be taken.
    Result<bool> verify(Node& node, VerifyDepth depth);
    /// Bars the fix that made the gradients wrong.
    Result<void> bar_culprit(const Node& node);
    void bar(const TriedFix& step, const VerifyResult& verified);
    bool is_barred(const Node& node) const;
    /// The fixes that are worth a try on top of the node.
    std::vector<Offer> offers(const Node& node) const;
    /// The modules that read what the fix changes.
    std::set<std::size_t> touched(const Trial& trial, const Fix& fix) const;
    /// These steps from the root; nothing where one cannot be made.
    Result<std::optional<Node>> replay(const std::vector<TriedFix>& steps);
    Result<void> take_out_idle_fixes();
    Result<void> confirm();
    void collect(Outcomes& outcomes);
    void note(const Node& parent, const std::vector<Candidate>& candidates);
    bool time_is_over() const { return lab_.spent() >= options_.time_limit; }

    TrialLab& lab_;
    const TrialOptions& options_;
    Node root_;                   ///< where the search starts; its gradients are the right ones
    bool repaired_ = false;       ///< the original's were not
    std::size_t fixed_steps_ = 0; ///< of every node: the repair
    std::vector<Node> best_;      ///< verified, the best last
    std::vector<Node> frontier_;
    std::set<FileTexts> visited_;
    std::set<std::vector<std::string>> combined_; ///< fixes, sorted, that were tried together
    std::set<std::string> barred_;                ///< fixes that must not be part of the result
    bool out_of_time_ = false;
    std::vector<TriedFix> tried_;
    std::vector<TriedCombination> combinations_;
};

} // namespace slimgrad
