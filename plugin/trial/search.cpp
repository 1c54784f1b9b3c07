#include "plugin/trial/search.h"

#include "plugin/trial/compared_change.h"
#include "plugin/trial/together.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>

namespace slimgrad {

namespace {

constexpr std::string_view missing_bound_code = "E30510";
constexpr std::string_view not_unrolled_code = "E40020";
constexpr int most_steps = 32; ///< fixes taken one after the other; each is a round of compilations
constexpr int deepest_error =
    4; ///< errors repaired on top of each other with all alternatives followed

bool has_fixable_error(const Trial& trial) {
    return std::any_of(trial.findings.begin(), trial.findings.end(), [](const Finding& f) {
        return f.severity == Severity::error && !f.fixes.empty();
    });
}

std::string key(const TriedFix& tried) {
    return key(tried.finding, tried.fix);
}

/// Puts what was learnt last of each fix into `tried`; what was applied stays applied.
void merge(std::vector<TriedFix>& tried, std::vector<TriedFix> latest) {
    for (TriedFix& fix : latest) {
        const auto known = std::find_if(tried.begin(), tried.end(),
                                        [&](const TriedFix& t) { return key(t) == key(fix); });
        if (known == tried.end())
            tried.push_back(std::move(fix));
        else if (known->outcome != Outcome::applied)
            *known = std::move(fix);
    }
}

} // namespace

bool Search::is_better(const Figures& before, const Figures& after) const {
    return compare(before, after, options_.objective).change == Change::better;
}

bool Search::wanted(const Fix& fix, Outcome outcome) const {
    if (fix.applicability == Applicability::unsafe && !options_.unsafe_fixes)
        return false;
    if (outcome == Outcome::unverified)
        return options_.unsafe_fixes;
    return outcome == Outcome::applied;
}

Result<Search::State> Search::make_it_compile(State state) {
    // All proved bounds at once: Slang reports every loop without one, and compiles with none
    // missing.
    std::vector<SourceEdit> edits;
    for (const Finding& finding : state.current->findings) {
        if (finding.severity == Severity::error && !finding.fixes.empty())
            edits.insert(edits.end(), finding.fixes.front().edits.begin(),
                         finding.fixes.front().edits.end());
    }
    if (edits.empty())
        return state;
    const auto edited = with_edits(*state.current, edits);
    const Trial* trial = nullptr;
    if (edited) {
        const auto examined = lab_.examine(*edited);
        if (!examined)
            return tl::unexpected(examined.error());
        trial = *examined;
    }
    const std::string why = edited ? "" : edited.error().message;
    for (const Finding& finding : state.current->findings) {
        if (finding.severity != Severity::error || finding.fixes.empty())
            continue;
        TriedFix tried{finding, finding.fixes.front(), Outcome::does_not_compile, why, {}};
        if (trial && trial->measured()) {
            tried.outcome = Outcome::applied;
            tried.evidence.after = trial->figures();
            tried.why = "the module compiles with it";
        } else if (trial) {
            tried.outcome = without_figures(*trial);
            tried.why = failure_of(*trial);
        }
        state.tried.push_back(std::move(tried));
    }
    if (trial && trial->measured()) {
        // Nothing ran before, so there is nothing to be equal to: what is checked is that no index
        // leaves its array.
        const auto verified = lab_.compare(*trial, *trial);
        if (!verified)
            return tl::unexpected(verified.error());
        if (verified->verdict == Verdict::original_wrong ||
            verified->verdict == Verdict::rewritten_wrong) {
            for (TriedFix& tried : state.tried) {
                tried.outcome = Outcome::gradient_differs;
                tried.why = verified->reason;
                tried.evidence.verified = *verified;
            }
            return state;
        }
        if (verified->verdict != Verdict::equal && !options_.unsafe_fixes) {
            for (TriedFix& tried : state.tried) {
                tried.outcome = Outcome::unverified;
                tried.why = verified->reason;
                tried.evidence.verified = *verified;
            }
            return state;
        }
        state.verified = *verified;
        if (state.verified->verdict == Verdict::equal)
            state.verified->reason =
                fmt::format("it did not compile before; every index is in range on {} inputs",
                            verified->samples);
        for (TriedFix& tried : state.tried)
            tried.evidence.verified = state.verified;
        state.steps = state.tried;
        state.repairs = state.steps.size();
        state.current = trial;
        state.reference = trial;
    }
    return state;
}

Result<Search::State> Search::repair(State state, const Finding& error, int depth) {
    std::vector<Offer> offers;
    for (const Fix& fix : error.fixes)
        offers.push_back({&error, &fix});
    // A fix that stores less can take the error with it: nothing is left that is stored wrongly.
    for (const Finding& finding : state.current->findings)
        if (finding.severity != Severity::error)
            for (const Fix& fix : finding.fixes)
                if (fix.applicability == Applicability::safe || options_.unsafe_fixes)
                    offers.push_back({&finding, &fix});
    auto attempted = attempt(lab_, options_, *state.current, offers);
    if (!attempted)
        return tl::unexpected(attempted.error());
    journal_.note(state.steps, *attempted);
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < attempted->size(); ++i) {
        Candidate& candidate = (*attempted)[i];
        const bool takes_error = candidate.trial && candidate.trial->measured() &&
                                 candidate.tried.outcome != Outcome::new_warning &&
                                 count_errors(*candidate.trial) < count_errors(*state.current);
        if (i < error.fixes.size() || takes_error)
            candidates.push_back(std::move(candidate));
    }
    // Which forms are right? The original cannot tell, but two right forms agree with each other.
    std::vector<Candidate*> right, partial;
    std::set<const Candidate*> confirmed; // by central differences
    for (Candidate& candidate : candidates) {
        if (!candidate.trial || !candidate.trial->measured())
            continue;
        // With other errors left it is wrong still: what they become decides.
        if (has_fixable_error(*candidate.trial)) {
            partial.push_back(&candidate);
            continue;
        }
        const Candidate* other = right.empty() ? nullptr : right.front();
        const auto verified =
            lab_.compare(other ? *other->trial : *candidate.trial, *candidate.trial);
        if (!verified)
            return tl::unexpected(verified.error());
        candidate.tried.evidence.verified = *verified;
        VerifyResult& verdict = *candidate.tried.evidence.verified;
        if (verdict.verdict == Verdict::equal) {
            verdict.reason =
                other ? fmt::format("the original is wrong; agrees with the form '{}': {}",
                                    other->tried.fix.description, verdict.reason)
                      : fmt::format("the original is wrong; every index is in range on {} inputs",
                                    verdict.samples);
            const auto checked = check_gradients(lab_, *candidate.trial);
            if (!checked)
                return tl::unexpected(checked.error());
            if (checked->verdict == Verdict::wrong) {
                candidate.tried.outcome = Outcome::gradient_differs;
                candidate.tried.why = checked->reason;
                verdict = *checked;
            } else {
                right.push_back(&candidate);
                if (checked->verdict == Verdict::right)
                    confirmed.insert(&candidate);
            }
        } else if (verdict.verdict == Verdict::unverified ||
                   verdict.verdict == Verdict::cannot_run) {
            candidate.tried.outcome = Outcome::unverified;
            candidate.tried.why = verdict.reason;
            if (wanted(candidate.tried.fix, Outcome::unverified))
                right.push_back(&candidate);
        } else {
            candidate.tried.outcome = Outcome::gradient_differs;
            candidate.tried.why = verdict.reason;
        }
    }
    // The first right form was taken on its own word; the others' agreement is its evidence, too.
    if (right.size() > 1 && right[0]->tried.evidence.verified->verdict == Verdict::equal)
        right[0]->tried.evidence.verified->reason = fmt::format(
            "the original is wrong; agrees with the form '{}' on {} inputs",
            right[1]->tried.fix.description, right[1]->tried.evidence.verified->samples);

    for (Candidate* candidate : right)
        if (confirmed.contains(candidate))
            candidate->tried.evidence.verified->reason +=
                "; its gradients agree with central differences";

    // With a choice, not a form that the compiler warns of.
    const auto warns = [&](const Candidate* candidate) {
        return new_warning(*state.current, *candidate->trial) != nullptr;
    };
    if (!std::all_of(right.begin(), right.end(), warns))
        std::erase_if(right, warns);

    right.insert(right.end(), partial.begin(), partial.end());
    std::optional<State> best;
    const Candidate* chosen = nullptr;
    for (const Candidate* candidate : right) {
        if (best && time_is_over()) {
            out_of_time_ = true;
            break;
        }
        State next = state;
        next.current = candidate->trial;
        next.reference = candidate->trial;
        next.verified = candidate->tried.evidence.verified;
        next.repaired = true;
        TriedFix applied = candidate->tried;
        applied.outcome = Outcome::applied;
        next.steps.push_back(applied);
        next.repairs = next.steps.size();
        next.tried.push_back(std::move(applied));
        auto settled = settle(std::move(next), depth + 1);
        if (!settled)
            return tl::unexpected(settled.error());
        if (has_fixable_error(*settled->current))
            continue; // repaired in part is wrong as before
        const bool simpler =
            best && settled->steps.size() < best->steps.size() &&
            compare(best->current->figures(), settled->current->figures(), options_.objective)
                    .change == Change::same;
        if (!best || simpler || is_better(best->current->figures(), settled->current->figures())) {
            best = std::move(*settled);
            chosen = candidate;
        }
    }
    if (!best)
        best = state;
    for (Candidate& candidate : candidates) {
        if (&candidate == chosen)
            continue;
        if (candidate.tried.outcome == Outcome::applied ||
            candidate.tried.outcome == Outcome::minor ||
            candidate.tried.outcome == Outcome::no_effect ||
            candidate.tried.outcome == Outcome::worse) {
            candidate.tried.outcome = Outcome::not_combined;
            candidate.tried.why = "right, but another form is cheaper";
        }
        merge(best->tried, {candidate.tried});
    }
    return std::move(*best);
}

Result<bool> Search::take_together(State& state, const std::vector<Candidate>& candidates) {
    auto together =
        try_together(lab_, options_, *state.current, state.steps, candidates, false, journal_);
    // Small gains may add up to a large one.
    if (together && !*together && options_.searching && !time_is_over())
        together =
            try_together(lab_, options_, *state.current, state.steps, candidates, true, journal_);
    if (!together)
        return tl::unexpected(together.error());
    if (!*together)
        return false;
    const auto verified = lab_.compare(*state.reference, *(*together)->trial);
    if (!verified)
        return tl::unexpected(verified.error());
    // If not, they are looked at one by one.
    if (verified->verdict != Verdict::equal ||
        (verified->differs_if_aliased && !options_.promises.noalias))
        return false;
    std::vector<TriedFix> latest;
    for (const Candidate& candidate : candidates) {
        const std::vector<const Candidate*>& fixes = (*together)->fixes;
        TriedFix tried = candidate.tried;
        if (std::find(fixes.begin(), fixes.end(), &candidate) != fixes.end()) {
            tried.evidence.verified = *verified;
            state.steps.push_back(tried);
        } else if (tried.outcome == Outcome::applied) {
            tried.outcome = Outcome::not_combined;
            tried.why = "not needed after the fixes that were applied";
        }
        latest.push_back(std::move(tried));
    }
    merge(state.tried, std::move(latest));
    state.verified = *verified;
    state.verified->reference_is_repaired = state.repaired;
    state.current = (*together)->trial;
    return true;
}

Result<Search::State> Search::improve(State state) {
    Objective ranking = options_.objective;
    ranking.allow_forward_regression = true; // an order; what is taken was judged already
    std::set<std::string> refused;           // not tried again on top of something else
    for (int step = 0; step < most_steps; ++step) {
        if (step > 0 && time_is_over()) {
            out_of_time_ = true;
            break;
        }
        std::vector<Offer> offers;
        for (const Finding& finding : state.current->findings)
            if (finding.severity != Severity::error)
                for (const Fix& fix : finding.fixes)
                    if (!refused.contains(key(finding, fix)) &&
                        !lab_.takes_back(*state.current, fix))
                        offers.push_back({&finding, &fix});
        if (options_.searching) // the time may not be enough for all
            std::stable_sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) {
                return a.finding->bytes > b.finding->bytes;
            });
        auto attempted = attempt(lab_, options_, *state.current, offers);
        if (!attempted)
            return tl::unexpected(attempted.error());
        std::vector<Candidate> candidates = std::move(*attempted);
        journal_.note(state.steps, candidates);
        for (const Candidate& candidate : candidates) {
            out_of_time_ = out_of_time_ || candidate.out_of_time;
            if (is_hopeless(candidate.tried))
                refused.insert(key(candidate.tried));
        }
        std::stable_sort(
            candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
                if (!a.tried.evidence.after || !b.tried.evidence.after)
                    return a.tried.evidence.after.has_value() &&
                           !b.tried.evidence.after.has_value();
                return compare(*b.tried.evidence.after, *a.tried.evidence.after, ranking).change ==
                       Change::better;
            });
        const auto taken_together = take_together(state, candidates);
        if (!taken_together)
            return tl::unexpected(taken_together.error());
        if (*taken_together)
            continue;
        const Candidate* taken = nullptr;
        for (Candidate& candidate : candidates) {
            TriedFix& tried = candidate.tried;
            if (tried.outcome != Outcome::applied && tried.outcome != Outcome::minor)
                continue;
            std::vector<TriedFix> steps = state.steps;
            steps.push_back(tried);
            const auto verified = compare_change(lab_, *state.reference, *candidate.trial, steps);
            if (!verified)
                return tl::unexpected(verified.error());
            tried.evidence.verified = *verified;
            if (verified->verdict == Verdict::different ||
                verified->verdict == Verdict::rewritten_wrong) {
                tried.outcome = Outcome::gradient_differs;
                tried.why = verified->reason;
                refused.insert(key(tried));
                continue;
            }
            if (!is_accepted(*verified)) {
                tried.outcome = Outcome::unverified;
                tried.why = verified->reason;
            } else if (verified->differs_if_aliased && !options_.promises.noalias) {
                tried.fix.applicability = Applicability::unsafe;
                tried.fix.condition = "arguments do not alias";
            }
            if (wanted(tried.fix, tried.outcome)) {
                tried.outcome = Outcome::applied;
                taken = &candidate;
                break;
            }
            if (tried.outcome == Outcome::applied)
                tried.outcome = Outcome::needs_consent;
        }
        std::vector<TriedFix> latest;
        for (Candidate& candidate : candidates) {
            // Better, but not the best: the next step decides, if it is still of use then.
            if (candidate.tried.outcome == Outcome::applied && &candidate != taken) {
                candidate.tried.outcome = Outcome::not_combined;
                candidate.tried.why = "not needed after the fixes that were applied";
            }
            latest.push_back(candidate.tried);
        }
        merge(state.tried, std::move(latest));
        if (!taken)
            break;
        state.verified = taken->tried.evidence.verified;
        state.verified->reference_is_repaired = state.repaired;
        state.current = taken->trial;
        state.steps.push_back(taken->tried);
    }
    // What is no longer stored needs no fix any more.
    for (TriedFix& tried : state.tried) {
        const auto still = std::any_of(
            state.current->findings.begin(), state.current->findings.end(), [&](const Finding& f) {
                return f.rule == tried.finding.rule &&
                       std::any_of(f.fixes.begin(), f.fixes.end(), [&](const Fix& fix) {
                           return fix.description == tried.fix.description;
                       });
            });
        const bool open = tried.outcome == Outcome::minor ||
                          tried.outcome == Outcome::needs_consent ||
                          tried.outcome == Outcome::unverified;
        if (open && !still && tried.finding.severity != Severity::error) {
            tried.outcome = Outcome::no_effect;
            tried.why = "not needed after the fixes that were applied";
        }
    }
    return state;
}

Result<Search::State> Search::settle(State state, int depth) {
    if (!state.current->compiled()) {
        const bool bounds_missing = std::any_of(
            state.current->variants.begin(), state.current->variants.end(), [](const Variant* v) {
                return std::any_of(
                    v->cuda.diagnostics.begin(), v->cuda.diagnostics.end(),
                    [](const Diagnostic& d) {
                        return d.code == missing_bound_code || d.code == not_unrolled_code;
                    });
            });
        const bool ran_away = std::any_of(state.current->variants.begin(),
                                          state.current->variants.end(), [](const Variant* v) {
                                              return v->cuda.status == CompileStatus::timed_out ||
                                                     v->cuda.status == CompileStatus::out_of_memory;
                                          });
        if (!bounds_missing && !(ran_away && has_fixable_error(*state.current)))
            return state;
        auto compiled = make_it_compile(std::move(state));
        if (!compiled || !(*compiled).current->measured())
            return compiled;
        return settle(std::move(*compiled), depth + 1);
    }
    if (!state.current->measured()) {
        // What slangc emits may be rejected for a known reason.
        if (!has_fixable_error(*state.current))
            return state;
        auto compiled = make_it_compile(std::move(state));
        if (!compiled || !(*compiled).current->measured())
            return compiled;
        return settle(std::move(*compiled), depth + 1);
    }
    if (has_fixable_error(*state.current) && depth < deepest_error) {
        for (const Finding& finding : state.current->findings) {
            if (finding.severity == Severity::error && !finding.fixes.empty())
                return repair(std::move(state), finding, depth);
        }
    }
    return improve(std::move(state));
}

Result<Search::Outcomes> Search::run(const Trial& original) {
    State state;
    state.current = &original;
    state.reference = &original;
    auto settled = settle(std::move(state), 0);
    if (!settled)
        return tl::unexpected(settled.error());
    return Outcomes{settled->current,
                    std::move(settled->steps),
                    settled->repairs,
                    std::move(settled->tried),
                    std::move(settled->verified),
                    settled->reference,
                    settled->repaired,
                    out_of_time_};
}

} // namespace slimgrad
