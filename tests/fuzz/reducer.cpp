#include "tests/fuzz/reducer.h"

#include "tests/fuzz/simplify.h"

#include <algorithm>

namespace slimgrad::hunt {
namespace {

/// Size of the candidates in one module, and how many: a module costs as much as some twenty small
/// programs.
constexpr int module_size = 1200;
constexpr int fewest_together = 4, most_together = 40;

bool leads_to(Known shape, Fate fate) {
    switch (fate) {
    case Fate::crashed_slangc:
        return shape == Known::loop_in_while;
    case Fate::rejected_code:
        return shape == Known::unrolled_break_read;
    case Fate::rejected:
    case Fate::hung_slangc:
        return false;
    default:
        return shape != Known::loop_in_while && shape != Known::unrolled_break_read;
    }
}

class Reducer {
  public:
    Reducer(Laboratory& laboratory, const Program& program, const Finding& finding)
        : laboratory_(laboratory), finding_(finding) {
        for (const Variant& variant : trial_of(program, finding).variants)
            allowed_.merge(known_shapes(variant.program));
        // Whatever else runs, a kernel that leaves an array is wrong. A refusal alone is not.
        if (finding.kind == FindingKind::failure && finding.fate != Fate::rejected)
            finding_.right.clear();
    }

    Result<std::optional<Reduced>> run(const Program& program) {
        Result<std::optional<Reduced>> best = smallest({program});
        if (!best || !*best)
            return best;
        // Starts again where the last step was taken: what failed before mostly fails again.
        std::size_t next = 0, failed = 0;
        for (std::vector<Program> candidates = simplifications((*best)->program);
             failed < candidates.size() && modules_ < most_reduction_modules;) {
            std::vector<Program> some;
            const std::size_t together = candidates_together((*best)->program);
            for (std::size_t i = 0; i < std::min(together, candidates.size() - failed); ++i)
                some.push_back(candidates[(next + i) % candidates.size()]);
            Result<std::optional<Reduced>> better = smallest(some);
            if (!better)
                return better;
            if (!*better) {
                next += some.size();
                failed += some.size();
                continue;
            }
            best = std::move(better);
            candidates = simplifications((*best)->program);
            failed = 0;
        }
        return best;
    }

  private:
    /// A module that does not compile is split, so where that is what is looked for there is
    /// nothing to win by many.
    std::size_t candidates_together(const Program& program) const {
        const bool splits = finding_.kind == FindingKind::failure &&
                            finding_.fate != Fate::out_of_range && finding_.fate != Fate::crashed;
        return splits ? 1
                      : static_cast<std::size_t>(
                            std::clamp(module_size / std::max(size_of(program), 1), fewest_together,
                                       most_together));
    }

    /// The smallest of those that show the finding.
    Result<std::optional<Reduced>> smallest(const std::vector<Program>& programs) {
        std::vector<const Program*> tried;
        std::vector<Trial> trials;
        for (const Program& program : programs) {
            Trial trial = trial_of(program, finding_);
            const bool usable = std::all_of(
                trial.variants.begin(), trial.variants.end(), [&](const Variant& variant) {
                    const std::set<Known> shapes = known_shapes(variant.program);
                    return std::includes(allowed_.begin(), allowed_.end(), shapes.begin(),
                                         shapes.end());
                });
            if (!usable)
                continue;
            tried.push_back(&program);
            trials.push_back(std::move(trial));
        }
        ++modules_;
        const Result<std::vector<TrialResult>> results = laboratory_.run(trials, Precision::twice);
        if (!results)
            return tl::unexpected(results.error());
        std::optional<Reduced> best;
        for (std::size_t i = 0; i < trials.size(); ++i) {
            const std::optional<Finding> found = judge(trials[i], (*results)[i], Precision::twice);
            if (!found || found->kind != finding_.kind || found->fate != finding_.fate ||
                found->wrong != finding_.wrong || found->right != finding_.right)
                continue;
            if (!best || size_of(*tried[i]) < size_of(best->program))
                best = Reduced{*tried[i], std::move(trials[i]), *found};
        }
        return best;
    }

    Laboratory& laboratory_;
    Finding finding_;
    std::set<Known> allowed_; ///< shapes
    int modules_ = 0;
};

} // namespace

Trial trial_of(const Program& program, const Finding& finding) {
    Trial trial;
    // The order of variants_of, which decides which of two is compared with the other.
    for (const std::string& name : {finding.right, finding.wrong})
        if (!name.empty())
            trial.variants.push_back({name, variant_of(program, name)});
    return trial;
}

std::set<Known> shapes_of(const Trial& trial, const Finding& finding) {
    std::set<Known> shapes;
    for (const Variant& variant : trial.variants)
        if (variant.name == finding.wrong)
            shapes = known_shapes(variant.program);
    std::erase_if(shapes, [&](Known shape) { return !leads_to(shape, finding.fate); });
    return shapes;
}

Result<std::optional<Reduced>> reduce(Laboratory& laboratory, const Program& program,
                                      const Finding& finding) {
    Result<std::optional<Reduced>> reduced = Reducer(laboratory, program, finding).run(program);
    if (!reduced || !*reduced || finding.right == (*reduced)->finding.right)
        return reduced;
    // The other variant was left out on the way: say whether it still runs.
    Trial both = trial_of((*reduced)->program, finding);
    const Result<std::vector<TrialResult>> results = laboratory.run({both}, Precision::twice);
    if (!results)
        return tl::unexpected(results.error());
    const std::optional<Finding> found = judge(both, results->front(), Precision::twice);
    if (found && found->fate == finding.fate && found->right == finding.right)
        *reduced = Reduced{(*reduced)->program, std::move(both), *found};
    return reduced;
}

} // namespace slimgrad::hunt
