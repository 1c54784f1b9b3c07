#include "plugin/trial/together.h"

#include <algorithm>
#include <utility>

namespace slimgrad {
namespace {

bool is_worth_applying(const TrialOptions& options, const Candidate& candidate) {
    return candidate.tried.outcome == Outcome::applied &&
           (candidate.tried.fix.applicability == Applicability::safe || options.unsafe_fixes);
}

std::vector<SourceEdit> edits_of(const std::vector<const Candidate*>& fixes) {
    std::vector<SourceEdit> edits;
    for (const Candidate* candidate : fixes)
        edits.insert(edits.end(), candidate->tried.fix.edits.begin(),
                     candidate->tried.fix.edits.end());
    return edits;
}

/// One fix of each finding, as far as their edits go together.
std::vector<const Candidate*> compatible(const TrialOptions& options, const Trial& current,
                                         const std::vector<Candidate>& candidates) {
    std::vector<const Candidate*> chosen;
    for (const Candidate& candidate : candidates) {
        const Finding& finding = candidate.tried.finding;
        const bool answered = std::any_of(chosen.begin(), chosen.end(), [&](const Candidate* c) {
            return c->tried.finding.rule == finding.rule && c->tried.finding.place == finding.place;
        });
        if (answered || !is_worth_applying(options, candidate))
            continue;
        chosen.push_back(&candidate);
        if (!with_edits(current, edits_of(chosen)))
            chosen.pop_back();
    }
    return chosen;
}

/// The fixes without each one of them; null where that cannot be made.
Result<std::vector<const Trial*>> without_each(TrialLab& lab, const Trial& current,
                                               const std::vector<const Candidate*>& fixes) {
    std::vector<FileTexts> texts;
    for (std::size_t left_out = 0; left_out < fixes.size(); ++left_out) {
        std::vector<const Candidate*> others = fixes;
        others.erase(others.begin() + std::ptrdiff_t(left_out));
        Result<FileTexts> edited = with_edits(current, edits_of(others));
        if (!edited)
            return tl::unexpected(edited.error());
        texts.push_back(std::move(*edited));
    }
    auto trials = lab.compile(texts);
    if (!trials)
        return trials;
    if (const auto measured = lab.measure(*trials); !measured)
        return tl::unexpected(measured.error());
    return trials;
}

} // namespace

Result<std::optional<Together>> try_together(TrialLab& lab, const TrialOptions& options,
                                             const Trial& current,
                                             const std::vector<Candidate>& candidates) {
    Together all{nullptr, compatible(options, current, candidates)};
    if (all.fixes.size() < 2)
        return std::nullopt;
    const auto texts = with_edits(current, edits_of(all.fixes));
    if (!texts)
        return std::nullopt;
    const auto examined = lab.examine(*texts);
    if (!examined)
        return tl::unexpected(examined.error());
    all.trial = *examined;
    if (!all.trial->measured() || new_warning(current, *all.trial) ||
        count_errors(*all.trial) > count_errors(current) ||
        !improves(options, all.fixes.front()->trial->figures(), all.trial->figures()))
        return std::nullopt;
    while (all.fixes.size() > 1) {
        const auto less = without_each(lab, current, all.fixes);
        if (!less)
            return tl::unexpected(less.error());
        // From the back: those that bring the least by themselves.
        std::size_t idle = all.fixes.size();
        while (idle-- > 0)
            if ((*less)[idle]->measured() && !improves(options, (*less)[idle]->figures(), all.trial->figures()))
                break;
        if (idle == std::size_t(-1))
            break;
        all.trial = (*less)[idle];
        all.fixes.erase(all.fixes.begin() + std::ptrdiff_t(idle));
    }
    return all;
}

} // namespace slimgrad
