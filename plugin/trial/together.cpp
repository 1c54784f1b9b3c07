#include "plugin/trial/together.h"

#include "plugin/trial/stored_rows.h"

#include <algorithm>
#include <utility>

namespace slimgrad {
namespace {

bool is_worth_applying(const TrialOptions& options, const Candidate& candidate, bool with_minor) {
    const Outcome outcome = candidate.tried.outcome;
    return (outcome == Outcome::applied || (with_minor && outcome == Outcome::minor)) &&
           (candidate.tried.fix.applicability == Applicability::safe || options.unsafe_fixes);
}

std::vector<SourceEdit> edits_of(const std::vector<const Candidate*>& fixes) {
    std::vector<SourceEdit> edits;
    for (const Candidate* candidate : fixes)
        edits.insert(edits.end(), candidate->tried.fix.edits.begin(),
                     candidate->tried.fix.edits.end());
    return edits;
}

/// One fix of each finding, as far as their edits go together. Of those that save the same rows of
/// the report, or come to the same, the first.
std::vector<const Candidate*> compatible(const TrialOptions& options, const Trial& current,
                                         const std::vector<Candidate>& candidates,
                                         bool with_minor) {
    std::vector<const Candidate*> chosen;
    for (const Candidate& candidate : candidates) {
        const Finding& finding = candidate.tried.finding;
        const bool answered = std::any_of(chosen.begin(), chosen.end(), [&](const Candidate* c) {
            return (c->tried.finding.rule == finding.rule &&
                    c->tried.finding.place == finding.place) ||
                   (candidate.trial && (leaves_nothing_to(*c->trial, *candidate.trial, current) ||
                                        same_result(*c->trial, *candidate.trial)));
        });
        if (answered || !is_worth_applying(options, candidate, with_minor))
            continue;
        chosen.push_back(&candidate);
        if (!with_edits(current, edits_of(chosen)))
            chosen.pop_back();
    }
    return chosen;
}

std::vector<const Candidate*> without(std::vector<const Candidate*> fixes,
                                      const std::vector<std::size_t>& left_out) {
    for (auto index = left_out.rbegin(); index != left_out.rend(); ++index)
        fixes.erase(fixes.begin() + std::ptrdiff_t(*index));
    return fixes;
}

/// Takes out what does nothing beside the others: as many as can go at once, the least useful
/// first, which stand at the end.
class IdleFixes {
  public:
    IdleFixes(TrialLab& lab, const TrialOptions& options, const Trial& current,
              const std::vector<TriedFix>& steps, TrialJournal& journal)
        : lab_(lab), options_(options), current_(current), steps_(steps), journal_(journal) {}

    Result<void> take_out(Together& all) {
        while (all.fixes.size() > 1) {
            const auto idle = idle_alone(all);
            if (!idle)
                return tl::unexpected(idle.error());
            if (idle->empty())
                return {};
            // Two that do the same are idle each, but not both.
            std::size_t count = std::min(idle->size(), all.fixes.size() - 1);
            for (; count > 0; count /= 2) {
                const std::vector<std::size_t> left_out(idle->end() - std::ptrdiff_t(count),
                                                        idle->end());
                const auto made = examine(all, {left_out});
                if (!made)
                    return tl::unexpected(made.error());
                if (is_as_good(made->front(), all)) {
                    all = {made->front(), without(all.fixes, left_out)};
                    break;
                }
            }
        }
        return {};
    }

  private:
    /// Those without which the others are as good, as far as the time allows to find out.
    Result<std::vector<std::size_t>> idle_alone(const Together& all) {
        std::vector<std::size_t> idle;
        for (std::size_t first = 0; first < all.fixes.size();) {
            std::size_t last = all.fixes.size();
            if (options_.searching) {
                if (lab_.spent() >= options_.time_limit)
                    break;
                last = std::min(last, first + lab_.trials_before(options_.time_limit));
            }
            std::vector<std::vector<std::size_t>> each;
            for (std::size_t i = first; i < last; ++i)
                each.push_back({i});
            const auto less = examine(all, each);
            if (!less)
                return tl::unexpected(less.error());
            for (std::size_t i = first; i < last; ++i)
                if (is_as_good((*less)[i - first], all))
                    idle.push_back(i);
            first = last;
        }
        return idle;
    }

    /// With these left out, each set of indices for itself.
    Result<std::vector<const Trial*>>
    examine(const Together& all, const std::vector<std::vector<std::size_t>>& left_out) {
        std::vector<FileTexts> texts;
        for (const std::vector<std::size_t>& indices : left_out) {
            Result<FileTexts> edited = with_edits(current_, edits_of(without(all.fixes, indices)));
            if (!edited)
                return tl::unexpected(edited.error());
            texts.push_back(std::move(*edited));
        }
        const auto trials = lab_.compile(texts);
        if (!trials)
            return trials;
        if (const auto measured = lab_.measure(*trials); !measured)
            return tl::unexpected(measured.error());
        for (std::size_t i = 0; i < trials->size(); ++i)
            journal_.note(steps_, without(all.fixes, left_out[i]), *(*trials)[i],
                          judge(options_, current_, *(*trials)[i]));
        return trials;
    }

    bool is_as_good(const Trial* less, const Together& all) const {
        return less->measured() && !improves(options_, less->figures(), all.trial->figures());
    }

    TrialLab& lab_;
    const TrialOptions& options_;
    const Trial& current_;
    const std::vector<TriedFix>& steps_;
    TrialJournal& journal_;
};

} // namespace

Result<std::optional<Together>> try_together(TrialLab& lab, const TrialOptions& options,
                                             const Trial& current,
                                             const std::vector<TriedFix>& steps,
                                             const std::vector<Candidate>& candidates,
                                             bool with_minor, TrialJournal& journal) {
    Together all{nullptr, compatible(options, current, candidates, with_minor)};
    if (all.fixes.size() < 2)
        return std::nullopt;
    const auto texts = with_edits(current, edits_of(all.fixes));
    if (!texts)
        return std::nullopt;
    const auto examined = lab.examine(*texts);
    if (!examined)
        return tl::unexpected(examined.error());
    all.trial = *examined;
    journal.note(steps, all.fixes, *all.trial, judge(options, current, *all.trial));
    if (!all.trial->measured() || new_warning(current, *all.trial) ||
        count_errors(*all.trial) > count_errors(current) ||
        !improves(options, all.fixes.front()->trial->figures(), all.trial->figures()))
        return std::nullopt;
    if (const auto done = IdleFixes(lab, options, current, steps, journal).take_out(all); !done)
        return tl::unexpected(done.error());
    return all;
}

} // namespace slimgrad
