#include "tests/fuzz/judge.h"

#include "plugin/verify/comparison.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace slimgrad::hunt {
namespace {

struct Tolerances {
    double variants, slopes;
    double noise; ///< what rounding makes of differences of values near 1, however flat they are
};

Tolerances tolerances(Precision precision) {
    return precision == Precision::single ? Tolerances{5e-4, 5e-3, 1e-6}
                                          : Tolerances{1e-9, 1e-6, 1e-11};
}

/// Steeper functions turn rounding into differences.
constexpr double steepest = 1e4;
/// Differences at the two step sizes are this far apart at most where they converge.
constexpr double most_uncertain = 1e-3;

double scale_of(const std::vector<Slope>& slopes) {
    double sum = 0;
    for (const Slope& slope : slopes)
        sum += slope.value * slope.value;
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(slopes.size(), 1)));
}

bool is_judged(const Slope& slope, double scale) {
    return std::isfinite(slope.value) && std::fabs(slope.value) < steepest && scale < steepest &&
           slope.uncertainty <= most_uncertain * std::max(scale, std::fabs(slope.value));
}

bool is_steep(const TrialResult& result) {
    for (const std::vector<Slope>& slopes : result.slopes)
        if (!(scale_of(slopes) < steepest))
            return true;
    return false;
}

struct Miss {
    std::size_t sample = 0, input = 0;
};

std::optional<Miss> first_miss(const TrialResult& result, const VariantResult& variant,
                               const Tolerances& tolerance) {
    for (std::size_t sample = 0; sample < result.slopes.size(); ++sample) {
        const std::vector<Slope>& slopes = result.slopes[sample];
        const double scale = scale_of(slopes);
        for (std::size_t i = 0; i < slopes.size(); ++i) {
            const double gradient = variant.gradients[sample][i + 1];
            const double size = std::max({scale, std::fabs(slopes[i].value), std::fabs(gradient)});
            const double allowed =
                tolerance.slopes * size + 0.5 * slopes[i].uncertainty + tolerance.noise;
            if (is_judged(slopes[i], scale) && !(std::fabs(gradient - slopes[i].value) <= allowed))
                return Miss{sample, i};
        }
    }
    return std::nullopt;
}

std::optional<Finding> judge_failures(const Trial& trial, const TrialResult& result) {
    std::optional<Finding> finding;
    std::string right;
    for (std::size_t v = 0; v < result.variants.size(); ++v) {
        const VariantResult& variant = result.variants[v];
        if (variant.fate == Fate::ran)
            right = right.empty() ? trial.variants[v].name : right;
        else if (!finding)
            finding = Finding{FindingKind::failure, variant.fate, trial.variants[v].name, "",
                              variant.message};
    }
    if (finding)
        finding->right = right;
    return finding;
}

std::optional<Finding> judge_variants(const Trial& trial, const TrialResult& result,
                                      const Tolerances& tolerance) {
    for (std::size_t v = 1; v < result.variants.size(); ++v) {
        const VariantResult &first = result.variants.front(), &other = result.variants[v];
        for (std::size_t sample = 0; sample < first.runs.size(); ++sample) {
            const verify::Comparison comparison =
                verify::compare_runs(first.runs[sample], result.plan, other.runs[sample],
                                     result.plan, tolerance.variants);
            if (!comparison.difference)
                continue;
            const std::uint64_t at = comparison.difference->element;
            Finding finding{FindingKind::mismatch, Fate::ran, trial.variants[v].name,
                            trial.variants.front().name, ""};
            double wrong = comparison.difference->rewritten,
                   right = comparison.difference->original;
            std::string decided = "central differences do not decide";
            if (at > 0) {
                const Slope& slope = result.slopes[sample][at - 1];
                if (is_judged(slope, scale_of(result.slopes[sample])))
                    decided = fmt::format("central differences {:.9g}", slope.value);
                if (std::fabs(right - slope.value) > std::fabs(wrong - slope.value)) {
                    std::swap(finding.wrong, finding.right);
                    std::swap(wrong, right);
                }
            }
            finding.detail =
                fmt::format("{} {} is {:.9g} in {} and {:.9g} in {}, {} (input {})",
                            at == 0 ? "value" : "gradient", at == 0 ? 0 : at - 1, wrong,
                            finding.wrong, right, finding.right, decided, sample);
            return finding;
        }
    }
    return std::nullopt;
}

std::optional<Finding> judge_slopes(const Trial& trial, const TrialResult& result,
                                    const Tolerances& tolerance) {
    for (std::size_t v = 0; v < result.variants.size(); ++v)
        if (const auto miss = first_miss(result, result.variants[v], tolerance))
            return Finding{
                FindingKind::differences, Fate::ran, trial.variants[v].name, "",
                fmt::format("gradient {} is {:.9g} in {}, central differences {:.9g} (input {})",
                            miss->input,
                            result.variants[v].gradients[miss->sample][miss->input + 1],
                            trial.variants[v].name, result.slopes[miss->sample][miss->input].value,
                            miss->sample)};
    return std::nullopt;
}

} // namespace

std::string to_string(const Finding& finding) {
    switch (finding.kind) {
    case FindingKind::failure:
        return std::string(to_string(finding.fate));
    case FindingKind::mismatch:
        return "gradients differ";
    case FindingKind::differences:
        return "gradient is not that of central differences";
    }
    return "";
}

std::optional<Finding> judge(const Trial& trial, const TrialResult& result, Precision precision) {
    if (auto failure = judge_failures(trial, result))
        return failure;
    if (is_steep(result))
        return std::nullopt;
    if (auto mismatch = judge_variants(trial, result, tolerances(precision)))
        return mismatch;
    return judge_slopes(trial, result, tolerances(precision));
}

bool has_judged_slope(const TrialResult& result) {
    for (const std::vector<Slope>& slopes : result.slopes)
        for (const Slope& slope : slopes)
            if (is_judged(slope, scale_of(slopes)) && slope.value != 0)
                return true;
    return false;
}

} // namespace slimgrad::hunt
