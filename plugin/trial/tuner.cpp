#include "plugin/trial/tuner.h"

#include "plugin/trial/compared_change.h"
#include "plugin/trial/stored_rows.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace slimgrad {

namespace {

constexpr std::size_t deepest = 8;    ///< fixes on top of each other
constexpr std::size_t beam_width = 4; ///< combinations that are carried on beyond pairs

/// The figures by which one combination may be better than another.
constexpr std::array<Figure, 5> interesting{Figure::spill_bytes, Figure::local_memory,
                                            Figure::warps, Figure::code_bytes,
                                            Figure::checkpoint_bytes};

/// What of the rules' findings this fix belongs to, on this trial's text.
std::optional<Offer> find_offer(const Trial& trial, const std::string& wanted) {
    for (const Finding& finding : trial.findings)
        for (const Fix& fix : finding.fixes)
            if (key(finding, fix) == wanted)
                return Offer{&finding, &fix};
    return std::nullopt;
}

} // namespace

bool Tuner::has_stand_in(const std::string& fix) const {
    const auto other = stand_ins_.find(fix);
    return other != stand_ins_.end() && !barred_.contains(other->second);
}

bool Tuner::has_nothing_left(const Trial& trial, const std::string& fix) const {
    const auto alone = alone_.find(fix);
    return alone != alone_.end() && leaves_nothing_to(trial, *alone->second, *root_.trial);
}

std::vector<Offer> Tuner::offers(const Node& node) const {
    // Parts of the best combination are looked at when its fixes are taken out one by one.
    std::set<std::string> best;
    for (const TriedFix& step : best_.back().steps)
        best.insert(key(step.finding, step.fix));
    const bool is_part = node.steps.size() > fixed_steps_ &&
                         std::all_of(node.steps.begin(), node.steps.end(), [&](const TriedFix& s) {
                             return best.contains(key(s.finding, s.fix));
                         });
    std::vector<Offer> all;
    for (const Finding& finding : node.trial->findings)
        for (const Fix& fix : finding.fixes)
            if (finding.severity != Severity::error &&
                (fix.applicability == Applicability::safe || options_.unsafe_fixes) &&
                !barred_.contains(key(finding, fix)) && !has_stand_in(key(finding, fix)) &&
                !has_nothing_left(*node.trial, key(finding, fix)) &&
                (node.last.functions.empty() || are_near(node.last, places_of(*node.trial, fix))) &&
                !lab_.takes_back(*node.trial, fix) &&
                !(is_part && best.contains(key(finding, fix))))
                all.push_back({&finding, &fix});
    return all;
}

void Tuner::note(const Node& parent, const std::vector<Candidate>& candidates) {
    journal_.note(parent.steps, candidates);
    for (const Candidate& candidate : candidates) {
        const TriedFix& tried = candidate.tried;
        const bool known = std::any_of(tried_.begin(), tried_.end(), [&](const TriedFix& earlier) {
            return key(earlier.finding, earlier.fix) == key(tried.finding, tried.fix);
        });
        if (!known)
            tried_.push_back(tried);
    }
}

Result<std::vector<Tuner::Node>> Tuner::expand(const Node& node) {
    std::vector<Node> children;
    std::vector<Offer> all = offers(node);
    // The same fixes in another order give the same text.
    std::erase_if(all, [&](const Offer& offer) {
        std::vector<std::string> keys{key(*offer.finding, *offer.fix)};
        for (const TriedFix& step : node.steps)
            keys.push_back(key(step.finding, step.fix));
        std::sort(keys.begin(), keys.end());
        return !combined_.insert(std::move(keys)).second;
    });
    if (all.empty())
        return children;
    if (time_is_over()) {
        out_of_time_ = true;
        return children;
    }
    const auto candidates = attempt(lab_, options_, *node.trial, all);
    if (!candidates)
        return tl::unexpected(candidates.error());
    note(node, *candidates);
    std::vector<const Candidate*> different; // of those that come to the same, the first
    for (const Candidate& candidate : *candidates) {
        const TriedFix& tried = candidate.tried;
        out_of_time_ = out_of_time_ || candidate.out_of_time;
        if (is_hopeless(tried)) {
            barred_.insert(key(tried.finding, tried.fix));
            continue;
        }
        // What loses by itself may win with another one.
        const bool usable = tried.outcome == Outcome::applied || tried.outcome == Outcome::minor ||
                            (tried.outcome == Outcome::worse &&
                             count_errors(*candidate.trial) <= count_errors(*node.trial));
        if (!usable || !tried.evidence.after)
            continue;
        if (node.trial == root_.trial)
            alone_.emplace(key(tried.finding, tried.fix), candidate.trial);
        const auto same =
            std::find_if(different.begin(), different.end(), [&](const Candidate* other) {
                return same_result(*other->trial, *candidate.trial);
            });
        if (same != different.end()) {
            if (node.steps.size() == fixed_steps_)
                stand_ins_.emplace(key(tried.finding, tried.fix),
                                   key((*same)->tried.finding, (*same)->tried.fix));
            continue;
        }
        different.push_back(&candidate);
        if (worse_in_every_way(tried.evidence.before, *tried.evidence.after, options_.objective) ||
            !visited_.insert(candidate.trial->texts).second)
            continue;
        Node child{candidate.trial, node.steps, places_of(*node.trial, tried.fix), std::nullopt};
        child.steps.push_back(tried);
        children.push_back(std::move(child));
    }
    return children;
}

Result<bool> Tuner::verify(Node& node, VerifyDepth depth) {
    const auto verified = compare_change(lab_, *root_.trial, *node.trial, node.steps, depth);
    if (!verified)
        return tl::unexpected(verified.error());
    node.verified = *verified;
    node.verified->reference_is_repaired = repaired_;
    if (verified->verdict == Verdict::unverified || verified->verdict == Verdict::cannot_run)
        return options_.unsafe_fixes;
    return is_accepted(*verified) &&
           (!verified->differs_if_aliased || options_.promises.noalias || options_.unsafe_fixes);
}

std::optional<FileTexts> Tuner::all_at_once(const std::vector<TriedFix>& steps) const {
    std::vector<SourceEdit> edits;
    for (const TriedFix& step : steps) {
        const auto offer = find_offer(*root_.trial, key(step.finding, step.fix));
        if (!offer)
            return std::nullopt;
        edits.insert(edits.end(), offer->fix->edits.begin(), offer->fix->edits.end());
    }
    Result<FileTexts> texts = with_edits(*root_.trial, edits);
    return texts ? std::optional(std::move(*texts)) : std::nullopt;
}

Result<std::optional<Tuner::Node>> Tuner::replay(const std::vector<TriedFix>& steps, bool in_time) {
    Node made = root_;
    if (const auto texts = all_at_once(steps)) {
        const auto examined = lab_.examine(*texts);
        if (!examined)
            return tl::unexpected(examined.error());
        if (!(*examined)->measured())
            return std::nullopt;
        made.trial = *examined;
        made.steps.insert(made.steps.end(), steps.begin(), steps.end());
        return made;
    }
    for (const TriedFix& step : steps) {
        if (in_time && lab_.spent() >= options_.time_limit)
            return std::nullopt;
        const auto offer = find_offer(*made.trial, key(step.finding, step.fix));
        if (!offer)
            return std::nullopt;
        const auto candidates = attempt(lab_, options_, *made.trial, {*offer});
        if (!candidates)
            return tl::unexpected(candidates.error());
        const Candidate& candidate = candidates->front();
        if (!candidate.trial || !candidate.trial->measured())
            return std::nullopt;
        made.trial = candidate.trial;
        made.steps.push_back(candidate.tried);
    }
    return made;
}

Result<void> Tuner::bar_culprit(const Node& node) {
    // The first step from which on the gradients are wrong.
    std::vector<TriedFix> steps;
    for (std::size_t i = fixed_steps_; i < node.steps.size(); ++i) {
        const TriedFix& last = node.steps[i];
        steps.push_back(last);
        Node part = node;
        if (i + 1 < node.steps.size()) {
            auto cut = replay(steps, false);
            if (!cut)
                return tl::unexpected(cut.error());
            if (!*cut)
                continue;
            part = std::move(**cut);
            const auto right = verify(part, VerifyDepth::quick);
            if (!right)
                return tl::unexpected(right.error());
            if (*right)
                continue;
        }
        bar(last, *part.verified);
        return {};
    }
    return {};
}

void Tuner::bar(const TriedFix& step, const VerifyResult& verified) {
    barred_.insert(key(step.finding, step.fix));
    const bool differs =
        verified.verdict == Verdict::different || verified.verdict == Verdict::rewritten_wrong;
    for (TriedFix& tried : tried_)
        if (key(tried.finding, tried.fix) == key(step.finding, step.fix)) {
            tried.outcome = differs                 ? Outcome::gradient_differs
                            : is_accepted(verified) ? Outcome::needs_consent
                                                    : Outcome::unverified;
            tried.why = verified.reason;
            tried.evidence.verified = verified;
        }
}

bool Tuner::is_barred(const Node& node) const {
    return std::any_of(
        node.steps.begin() + std::ptrdiff_t(fixed_steps_), node.steps.end(),
        [&](const TriedFix& step) { return barred_.contains(key(step.finding, step.fix)); });
}

Result<void> Tuner::take_the_best(std::vector<Node> children) {
    std::erase_if(children, [&](const Node& child) {
        const Node& best = best_.back();
        const Figures before = best.trial->figures(), after = child.trial->figures();
        // A budget is met by the fewest edits.
        const bool fewer = !options_.objective.budget.empty() &&
                           child.steps.size() < best.steps.size() &&
                           excess(after, options_.objective) == excess(before, options_.objective);
        return !fewer && !improves(options_, before, after);
    });
    Objective ranking = options_.objective;
    ranking.allow_forward_regression = true; // an order; what is taken was judged already
    std::stable_sort(children.begin(), children.end(), [&](const Node& a, const Node& b) {
        const Change change = compare(b.trial->figures(), a.trial->figures(), ranking).change;
        return change == Change::better ||
               (change == Change::same && a.steps.size() < b.steps.size());
    });
    for (Node& child : children) {
        if (is_barred(child))
            continue;
        const auto right = verify(child, VerifyDepth::quick);
        if (!right)
            return tl::unexpected(right.error());
        if (*right) {
            best_.push_back(std::move(child));
            return {};
        }
        if (const auto done = bar_culprit(child); !done)
            return done;
    }
    return {};
}

std::vector<Tuner::Node> Tuner::beam(std::vector<Node> children) const {
    std::erase_if(children, [&](const Node& child) { return is_barred(child); });
    // The best by the objective, then whoever is the best in some figure: it may win with one more.
    std::vector<Objective> views{options_.objective};
    for (const Figure figure : interesting) {
        views.push_back(options_.objective);
        views.back().budget.clear();
        std::erase(views.back().order, figure);
        views.back().order.insert(views.back().order.begin(), figure);
    }
    std::vector<Node> chosen;
    for (Objective& view : views) {
        view.allow_forward_regression = true;
        if (children.empty() || chosen.size() >= beam_width)
            break;
        const auto first =
            std::min_element(children.begin(), children.end(), [&](const Node& a, const Node& b) {
                return compare(b.trial->figures(), a.trial->figures(), view).change ==
                       Change::better;
            });
        chosen.push_back(std::move(*first));
        children.erase(first);
    }
    return chosen;
}

Result<void> Tuner::widen() {
    visited_.insert(root_.trial->texts);
    visited_.insert(best_.back().trial->texts);
    frontier_ = {root_};
    if (best_.back().trial != root_.trial)
        frontier_.push_back(best_.back());
    for (std::size_t depth = 0; depth < deepest && !frontier_.empty() && !out_of_time_; ++depth) {
        std::vector<Node> children;
        for (const Node& node : frontier_) {
            auto more = expand(node);
            if (!more)
                return tl::unexpected(more.error());
            std::move(more->begin(), more->end(), std::back_inserter(children));
        }
        if (const auto done = take_the_best(children); !done)
            return done;
        // All single fixes are carried on to pairs, of those the best.
        frontier_ = depth == 0 ? std::move(children) : beam(std::move(children));
    }
    return {};
}

Result<void> Tuner::take_out_idle_fixes() {
    // All at a time, as far as that is known beforehand.
    std::vector<FileTexts> texts;
    const std::vector<TriedFix> kept(best_.back().steps.begin() + std::ptrdiff_t(fixed_steps_),
                                     best_.back().steps.end());
    const std::size_t affordable = lab_.trials_before(options_.time_limit);
    for (std::size_t i = 0; kept.size() > 1 && i < std::min(kept.size(), affordable); ++i) {
        std::vector<TriedFix> others = kept;
        others.erase(others.begin() + std::ptrdiff_t(i));
        if (auto without = all_at_once(others))
            texts.push_back(std::move(*without));
    }
    const auto compiled = lab_.compile(texts);
    if (!compiled)
        return tl::unexpected(compiled.error());
    if (const auto measured = lab_.measure(*compiled); !measured)
        return measured;

    for (std::size_t i = best_.back().steps.size(); i-- > fixed_steps_;) {
        if (lab_.spent() >= options_.time_limit) {
            out_of_time_ = true;
            break;
        }
        const Node& best = best_.back();
        std::vector<TriedFix> others(best.steps.begin() + std::ptrdiff_t(fixed_steps_),
                                     best.steps.end());
        others.erase(others.begin() + std::ptrdiff_t(i - fixed_steps_));
        auto less = replay(others, true);
        if (!less)
            return tl::unexpected(less.error());
        if (!*less || improves(options_, (*less)->trial->figures(), best.trial->figures()))
            continue;
        const auto right = verify(**less, VerifyDepth::quick);
        if (!right)
            return tl::unexpected(right.error());
        if (*right)
            best_.push_back(std::move(**less));
    }
    return {};
}

Result<void> Tuner::confirm() {
    while (best_.size() > 1 && best_.back().steps.size() > fixed_steps_) {
        const auto right = verify(best_.back(), VerifyDepth::whole);
        if (!right)
            return tl::unexpected(right.error());
        if (*right)
            return {};
        best_.pop_back();
    }
    return {};
}

Result<Tuner::Outcomes> Tuner::run(const Trial& original) {
    auto greedy = Search(lab_, options_, journal_).run(original);
    if (!greedy)
        return tl::unexpected(greedy.error());
    Outcomes outcomes;
    outcomes.final = greedy->final;
    tried_ = std::move(greedy->tried);
    for (const TriedFix& tried : tried_)
        if (is_hopeless(tried))
            barred_.insert(key(tried.finding, tried.fix));
    if (!greedy->final->measured()) { // what does not compile is not tuned
        outcomes.tried = std::move(tried_);
        outcomes.verified = std::move(greedy->verified);
        return outcomes;
    }
    out_of_time_ = greedy->out_of_time;
    repaired_ = greedy->repaired;
    fixed_steps_ = greedy->repairs;
    root_.trial = greedy->reference;
    root_.steps.assign(greedy->steps.begin(), greedy->steps.begin() + std::ptrdiff_t(fixed_steps_));
    root_.verified = greedy->verified;
    best_ = {root_};
    if (greedy->final != root_.trial)
        best_.push_back({greedy->final, greedy->steps, {}, greedy->verified});
    if (const auto done = widen(); !done)
        return tl::unexpected(done.error());
    if (const auto done = take_out_idle_fixes(); !done)
        return tl::unexpected(done.error());
    if (const auto done = confirm(); !done)
        return tl::unexpected(done.error());
    collect(outcomes);
    return outcomes;
}

void Tuner::collect(Outcomes& outcomes) {
    const Node& best = best_.back();
    outcomes.final = best.trial;
    outcomes.kept = best.steps;
    for (TriedFix& kept : outcomes.kept)
        kept.outcome = Outcome::applied;
    for (TriedFix& tried : tried_) {
        const auto kept =
            std::find_if(outcomes.kept.begin(), outcomes.kept.end(), [&](const TriedFix& step) {
                return key(step.finding, step.fix) == key(tried.finding, tried.fix);
            });
        if (kept != outcomes.kept.end()) {
            tried = *kept;
            tried.evidence.verified = best.verified;
        } else if (tried.outcome == Outcome::applied) {
            tried.outcome = Outcome::not_combined;
            tried.why = "not needed with the fixes that were kept";
        }
    }
    for (const TriedFix& kept : outcomes.kept)
        if (std::none_of(tried_.begin(), tried_.end(), [&](const TriedFix& tried) {
                return key(tried.finding, tried.fix) == key(kept.finding, kept.fix);
            }))
            tried_.push_back(kept);
    outcomes.tried = std::move(tried_);
    outcomes.combinations = journal_.take();
    outcomes.verified = best.verified;
    outcomes.spent = lab_.spent();
    outcomes.verifying = lab_.verifying();
    outcomes.out_of_time = out_of_time_;
}

} // namespace slimgrad
