#pragma once

#include "plugin/trial/candidate.h"
#include "plugin/trial/fix_places.h"
#include "plugin/trial/search.h"
#include "plugin/trial/trial_journal.h"
#include "plugin/trial/trial_lab.h"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slimgrad {

/// Searches combinations of fixes: what an expert does who is not content with the best single one.
///
/// First the greedy search. Then, from where that started and from where it ended: every fix alone,
/// on top of each that is worth it those that work near it (pairs), and on top of the best of those
/// (a beam), until nothing new is found or the time is over. What lies in functions that do not
/// call each other is not paired: their gains add up, which the greedy search sees, and so the
/// trials grow with the number of sites and not with its square. Nor is a fix tried where nothing
/// is stored any more of what it saves alone, and of fixes that come to the same, one is carried
/// on. A fix that is worse in every way is not; one that is better in some figure is, as [MaxIters]
/// and [PreferRecompute] may win only together. A fix that does not compile, or makes the code
/// several times larger and is worse for it, is not tried again. Whatever is better than the best
/// so far is verified before it takes its place. At last each kept fix is taken out once more, and
/// what changes nothing stays out.
///
/// Time is what the compilers and the verification took when their results were made: a run that
/// finds them in the cache ends where the first one did. A third of the time is kept for taking out
/// what does nothing; the last verification comes on top.
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
        FixPlaces last;              ///< where the last of them works
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
    /// These steps from the root; nothing where one cannot be made, or, where they are made one by
    /// one `in_time`, before the time is over.
    Result<std::optional<Node>> replay(const std::vector<TriedFix>& steps, bool in_time);
    /// Their texts, where all are offered at the root and can be made at once.
    std::optional<FileTexts> all_at_once(const std::vector<TriedFix>& steps) const;
    Result<void> take_out_idle_fixes();
    Result<void> confirm();
    void collect(Outcomes& outcomes);
    void note(const Node& parent, const std::vector<Candidate>& candidates);
    /// Whether a fix that comes to the same is tried instead.
    bool has_stand_in(const std::string& fix) const;
    /// Whether nothing is stored any more of what the fix saves alone.
    bool has_nothing_left(const Trial& trial, const std::string& fix) const;
    bool time_is_over() const { return lab_.spent() >= options_.search_time(); }

    TrialLab& lab_;
    const TrialOptions& options_;
    Node root_;                   ///< where the search starts; its gradients are the right ones
    bool repaired_ = false;       ///< the original's were not
    std::size_t fixed_steps_ = 0; ///< of every node: the repair
    std::vector<Node> best_;      ///< verified, the best last
    std::vector<Node> frontier_;
    std::set<FileTexts> visited_;
    std::set<std::vector<std::string>> combined_;  ///< fixes, sorted, that were tried together
    std::set<std::string> barred_;                 ///< fixes that must not be part of the result
    std::map<std::string, const Trial*> alone_;    ///< by fix, at the root
    std::map<std::string, std::string> stand_ins_; ///< by fix, one that comes to the same alone
    bool out_of_time_ = false;
    std::vector<TriedFix> tried_;
    TrialJournal journal_;
};

} // namespace slimgrad
