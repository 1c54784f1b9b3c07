#include "plugin/verify/difference_judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace slimgrad::verify {

namespace {

// In float32 the largest are needed for functions with |L| far above the slope, the smallest to see
// kinks near 0.
constexpr std::array<double, 9> float32_steps = {0x1p-2,  0x1p-4,  0x1p-6,  0x1p-8, 0x1p-10,
                                                 0x1p-12, 0x1p-14, 0x1p-16, 0x1p-18};
constexpr std::array<double, 14> float64_steps = {0x1p-4,  0x1p-6,  0x1p-8,  0x1p-10, 0x1p-12,
                                                  0x1p-14, 0x1p-16, 0x1p-18, 0x1p-20, 0x1p-22,
                                                  0x1p-24, 0x1p-26, 0x1p-28, 0x1p-30};

/// A function whose steps are all lost in a quantum this many times the roundoff of |L| is taken
/// for constant.
constexpr double hidden = 0x1p16;

struct Limits {
    double epsilon;   ///< half an ulp of 1
    double smallest;  ///< below, numbers lose digits
    double tolerance; ///< relative to the gradient
    double lossy; ///< noise of this many times the roundoff of |L|: the function's own gradient may
                  ///< be lost in it
};

Limits limits(Precision precision) {
    if (precision == Precision::float32)
        return {0x1p-24, std::numeric_limits<float>::min(), 1e-2, 0x1p6};
    return {0x1p-53, std::numeric_limits<double>::min(), 2e-4, 0x1p12};
}

/// What one step says.
struct Estimate {
    bool finite = false;
    double central = 0;
    double richardson = 0; ///< with the next larger step, the h^2 term removed
    double noise = 0;      ///< of both
    double asymmetry = 0;  ///< difference of the two one-sided differences

    /// The distance between `value` and the nearer of the two.
    double distance(double value) const {
        return std::min(std::abs(central - value), std::abs(richardson - value));
    }
};

/// Roundoff of one value of L: from its size, and from the second differences of the smallest
/// steps, where those of a smooth function go with h^2. `quantum`: of a function that moves, but
/// not at the smallest steps, the least it moves by.
struct Noise {
    double assumed = 0, seen = 0;
    double quantum = 0; ///< 0: there is none
    std::size_t flat_from =
        0; ///< from this step on L does not change; the number of steps where it always does
    double value() const { return std::max(assumed, seen); }
};

Noise find_noise(const DirectionalValues& values, std::span<const double> steps,
                 const Limits& limits) {
    Noise noise;
    double size = std::max(std::abs(values.at_zero), values.magnitude);
    if (!std::isfinite(size))
        size = std::abs(values.at_zero);
    noise.assumed = 4 * (limits.epsilon * size + limits.smallest);
    const auto second = [&](std::size_t k) {
        return (values.plus[k] - values.at_zero) + (values.minus[k] - values.at_zero);
    };
    for (std::size_t k = steps.size() - 2; k < steps.size(); ++k) {
        const double rest = std::abs(second(k) - second(k - 1) / 16);
        if (std::isfinite(rest))
            noise.seen = std::max(noise.seen, rest);
    }
    noise.flat_from = steps.size();
    while (noise.flat_from > 0 && values.plus[noise.flat_from - 1] == values.at_zero &&
           values.minus[noise.flat_from - 1] == values.at_zero)
        --noise.flat_from;
    if (noise.flat_from > 0 && noise.flat_from < steps.size()) {
        double quantum = std::numeric_limits<double>::infinity();
        for (const double value :
             {values.plus[noise.flat_from - 1], values.minus[noise.flat_from - 1]}) {
            if (value != values.at_zero && std::isfinite(value))
                quantum = std::min(quantum, std::abs(value - values.at_zero));
        }
        if (std::isfinite(quantum)) {
            noise.quantum = quantum;
            noise.seen = std::max(noise.seen, quantum);
        }
    }
    return noise;
}

std::vector<Estimate> estimates(const DirectionalValues& values, std::span<const double> steps,
                                double noise) {
    std::vector<Estimate> result(steps.size());
    for (std::size_t k = 0; k < steps.size(); ++k) {
        Estimate& one = result[k];
        const double up = values.plus[k] - values.at_zero, down = values.at_zero - values.minus[k];
        one.central = (up + down) / (2 * steps[k]);
        one.asymmetry = std::abs(up - down) / steps[k];
        one.noise = noise / steps[k];
        one.finite = std::isfinite(one.central) && std::isfinite(one.asymmetry);
        const bool chain = k > 0 && result[k - 1].finite && one.finite;
        one.richardson =
            chain ? one.central + (one.central - result[k - 1].central) / 15 : one.central;
    }
    return result;
}

/// Whether three steps from `last` upwards converge: each is nearer to the next than the one
/// before, or near enough anyway.
bool converges(const std::vector<Estimate>& all, std::size_t last) {
    const double fine = std::abs(all[last].central - all[last - 1].central);
    const double coarse = std::abs(all[last - 1].central - all[last - 2].central);
    const double floor = 2 * (all[last].noise + all[last - 1].noise);
    return fine <= floor || fine <= std::abs(all[last].central) / 64 || fine <= coarse / 2;
}

} // namespace

std::span<const double> difference_steps(Precision precision) {
    if (precision == Precision::float32)
        return float32_steps;
    return float64_steps;
}

std::string to_string(DifferenceVerdict verdict) {
    switch (verdict) {
    case DifferenceVerdict::agrees:
        return "agrees";
    case DifferenceVerdict::mismatch:
        return "mismatch";
    case DifferenceVerdict::kink:
        return "kink";
    case DifferenceVerdict::too_coarse:
        break;
    }
    return "too coarse";
}

namespace {

/// Differences agree with the gradient: see judge_differences. `at`: the smaller of the two steps
/// that say so.
bool agree(const std::vector<Estimate>& all, double gradient, double tolerance, std::size_t& at) {
    if (!std::isfinite(gradient))
        return false;
    std::size_t found = 0;
    for (std::size_t k = all.size(); k-- > 0;) {
        const Estimate& one = all[k];
        const double allowed = tolerance * std::max(std::abs(gradient), std::abs(one.central));
        if (one.finite && one.noise > allowed / 2)
            continue; // it could not tell
        const bool one_sided =
            one.asymmetry <= allowed + 4 * one.noise ||
            (k > 0 && all[k - 1].finite && one.asymmetry <= all[k - 1].asymmetry / 2);
        if (!one.finite || one.distance(gradient) > allowed || !one_sided)
            return false;
        if (found == 0)
            at = k;
        if (++found == 2)
            return true;
    }
    return false;
}

/// Differences converge to something else. `at`: the smallest step that can tell. `kink`:
/// differences that could tell do not converge.
bool mismatch(const std::vector<Estimate>& all, double gradient, double tolerance, std::size_t& at,
              bool& kink) {
    const auto gap_of = [&](std::size_t k) {
        return std::isfinite(gradient) ? all[k].distance(gradient)
                                       : std::numeric_limits<double>::infinity();
    };
    std::size_t last = all.size();
    for (std::size_t k = all.size(); k-- > 0;) {
        if (!all[k].finite) {
            kink = true; // smaller steps say nothing, larger ones leave the domain
            return false;
        }
        if (all[k].noise <= gap_of(k) / 4) {
            last = k;
            break;
        }
    }
    if (last == all.size())
        return false;
    at = last;
    double gap = gap_of(last);
    if (last < 2)
        return false;
    if (!all[last - 1].finite || !all[last - 2].finite || !converges(all, last)) {
        kink = true;
        return false;
    }
    for (std::size_t k = last - 2; k <= last; ++k) {
        const bool one_sided = k + 2 == last || all[k].asymmetry <= gap / 8 + 2 * all[k].noise ||
                               all[k].asymmetry <= all[k - 1].asymmetry / 2;
        if (!one_sided || std::min(std::abs(all[k].central - all[last].central),
                                   std::abs(all[k].richardson - all[last].richardson)) > gap / 4) {
            kink = true;
            return false;
        }
    }
    if (!std::isfinite(gradient))
        return true;
    // Steps that are too noisy to decide must not favour the gradient all the same.
    for (std::size_t k = last + 1; k < all.size(); ++k) {
        if (std::abs(all[k].central - all[last].central) > gap / 4 + 4 * all[k].noise) {
            kink = true;
            return false;
        }
    }
    // Nor may larger steps that agree with each other: then the smaller ones see a plateau of a
    // term that moves in quanta.
    for (std::size_t k = 1; k < last; ++k) {
        const double allowed = tolerance * std::max(std::abs(gradient), std::abs(all[k].central));
        if (all[k - 1].finite && all[k].finite && all[k - 1].distance(gradient) <= allowed &&
            all[k].distance(gradient) <= allowed) {
            kink = true;
            return false;
        }
    }
    gap -= std::abs(all[last].central - all[last - 1].central) + all[last].noise;
    return gap > tolerance * std::max(std::abs(gradient), std::abs(all[last].central));
}

/// Whether the one-sided differences stay apart at the smallest step that could tell.
bool is_kink(const std::vector<Estimate>& all, double gradient, double tolerance,
             double assumed_noise, std::span<const double> steps) {
    for (std::size_t k = all.size(); k-- > 1;) {
        if (!all[k].finite)
            return true;
        const double size =
            std::max({std::abs(gradient), std::abs(all[k].central), all[k].asymmetry});
        if (4 * assumed_noise / steps[k] <= tolerance * size)
            return all[k].asymmetry > tolerance * size &&
                   all[k].asymmetry > all[k - 1].asymmetry / 2;
    }
    return false;
}

/// Whether larger steps move L to both sides, by more than its roundoff, where smaller ones are
/// lost in it: then these do not say that the slope is zero.
bool moves_above_roundoff(const std::vector<Estimate>& all, std::size_t flat_from) {
    std::size_t moving = 0;
    for (std::size_t k = 0; k < flat_from; ++k)
        if (all[k].finite && std::abs(all[k].central) > 2 * all[k].noise &&
            all[k].asymmetry <= std::abs(all[k].central) / 2)
            ++moving;
    return moving >= 2;
}

/// The estimate whose error, as far as it shows, is least.
void set_best(const std::vector<Estimate>& all, DifferenceJudgement& judgement) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 1; k < all.size(); ++k) {
        const double error =
            std::abs(all[k].central - all[k - 1].central) + all[k].noise + all[k].asymmetry / 2;
        if (all[k].finite && all[k - 1].finite && error < least) {
            least = error;
            judgement.central_difference = all[k].richardson;
        }
    }
    judgement.error = least;
}

} // namespace

DifferenceJudgement judge_differences(const DirectionalValues& values, double gradient,
                                      Precision precision) {
    const std::span<const double> steps = difference_steps(precision);
    DifferenceJudgement judgement;
    judgement.gradient = gradient;
    judgement.precision = precision;
    if (values.plus.size() != steps.size() || values.minus.size() != steps.size())
        return judgement;
    if (!std::isfinite(values.at_zero)) {
        judgement.verdict = DifferenceVerdict::kink;
        return judgement;
    }
    const Limits limit = limits(precision);
    const Noise noise = find_noise(values, steps, limit);
    const std::vector<Estimate> all = estimates(values, steps, noise.value());
    set_best(all, judgement);
    judgement.flat = noise.flat_from == 0;

    const bool still =
        noise.flat_from + 3 <= steps.size(); // L does not move at three steps or more
    // A quantum that is no more than the roundoff of L is no step of the function's own.
    judgement.lost_slope = still && gradient == 0 && noise.quantum > 0 &&
                           noise.quantum <= limit.lossy * noise.assumed &&
                           moves_above_roundoff(all, noise.flat_from);
    if (still && gradient == 0 && !judgement.lost_slope) {
        judgement.verdict = DifferenceVerdict::agrees;
        judgement.central_difference = 0;
        judgement.error = 0;
        return judgement;
    }
    std::size_t at = 0;
    bool kink = false;
    if (agree(all, gradient, limit.tolerance, at)) {
        judgement.verdict = DifferenceVerdict::agrees;
        judgement.central_difference =
            std::abs(all[at].richardson - gradient) < std::abs(all[at].central - gradient)
                ? all[at].richardson
                : all[at].central;
    } else if (mismatch(all, gradient, limit.tolerance, at, kink)) {
        judgement.central_difference = all[at].richardson;
        // A step of which nothing is left may be lost in numbers that the result does not show.
        const bool may_hide =
            still && std::isfinite(gradient) &&
            (gradient == 0 ? noise.quantum > noise.assumed
                           : std::abs(gradient) * steps[noise.flat_from] <= hidden * noise.assumed);
        if (noise.seen <= limit.lossy * noise.assumed && !may_hide)
            judgement.verdict = DifferenceVerdict::mismatch;
    } else if (kink || is_kink(all, gradient, limit.tolerance, noise.assumed, steps)) {
        judgement.verdict = DifferenceVerdict::kink;
    }
    return judgement;
}

namespace {

std::optional<double> common_factor(std::span<const DifferenceJudgement> samples) {
    std::optional<double> factor;
    for (const DifferenceJudgement& sample : samples) {
        if (sample.verdict != DifferenceVerdict::mismatch)
            continue;
        const double ratio = sample.gradient / sample.central_difference;
        if (!std::isfinite(ratio) ||
            (factor && std::abs(ratio - *factor) > 0.01 * std::abs(*factor)))
            return std::nullopt;
        if (!factor)
            factor = ratio;
    }
    return factor;
}

std::string count(std::uint32_t number, std::uint32_t all, std::string_view one,
                  std::string_view many) {
    return fmt::format("{} of {} input{} {}", number, all, all == 1 ? "" : "s",
                       number == 1 ? one : many);
}

} // namespace

DifferenceSummary summarize_differences(std::span<const DifferenceJudgement> samples) {
    DifferenceSummary summary;
    summary.samples = static_cast<std::uint32_t>(samples.size());
    std::optional<std::size_t> first_mismatch, first_agreement;
    bool any_flat = false;
    std::uint32_t lost = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        lost += samples[i].lost_slope && samples[i].verdict == DifferenceVerdict::too_coarse;
        switch (samples[i].verdict) {
        case DifferenceVerdict::agrees:
            ++summary.agreeing;
            any_flat = any_flat || samples[i].gradient == 0;
            if (!first_agreement && samples[i].gradient != 0)
                first_agreement = i;
            break;
        case DifferenceVerdict::mismatch:
            ++summary.mismatching;
            if (!first_mismatch)
                first_mismatch = i;
            break;
        case DifferenceVerdict::kink:
            ++summary.kinks;
            break;
        case DifferenceVerdict::too_coarse:
            ++summary.too_coarse;
            break;
        }
    }
    summary.sample = first_mismatch ? *first_mismatch : first_agreement.value_or(0);
    const std::uint32_t judged = summary.agreeing + summary.mismatching;
    const bool single = std::any_of(samples.begin(), samples.end(), [](const auto& sample) {
        return sample.precision == Precision::float32;
    });
    const std::uint32_t parts = single ? 4 : 8;
    const std::uint32_t needed = std::max<std::uint32_t>(3, (judged + parts - 1) / parts);
    using Outcome = DifferenceSummary::Outcome;
    if (summary.mismatching >= needed) {
        summary.outcome = Outcome::wrong;
        summary.factor = common_factor(samples);
        summary.reason = count(summary.mismatching, summary.samples, "mismatches", "mismatch");
    } else if (summary.mismatching > 0) {
        summary.reason = count(summary.mismatching, summary.samples, "mismatches", "mismatch") +
                         ", which a jump that no step straddles can be the cause of";
    } else if (lost >= std::max<std::uint32_t>(3, (judged + lost + 7) / 8)) {
        summary.reason = "the gradient is 0 where larger steps move the result: " +
                         count(lost, summary.samples, "", "");
        summary.reason.pop_back();
    } else if (summary.samples > 0 && summary.agreeing * 2 >= summary.samples && first_agreement) {
        summary.outcome = Outcome::right;
        summary.reason = count(summary.agreeing, summary.samples, "agrees", "agree");
    } else if (summary.agreeing > 0 && !first_agreement && any_flat) {
        summary.reason = "no input moves the result: all differences and gradients are zero";
    } else if (summary.kinks >= summary.too_coarse) {
        summary.reason = count(summary.kinks, summary.samples, "lies at a kink", "lie at kinks");
    } else {
        summary.reason = "roundoff hides the differences of " +
                         count(summary.too_coarse, summary.samples, "", "");
        summary.reason.pop_back();
    }
    if (summary.outcome == Outcome::right && summary.kinks > 0)
        summary.reason += fmt::format(", {} at kinks", summary.kinks);
    if (summary.outcome == Outcome::right && summary.too_coarse > 0)
        summary.reason += fmt::format(", {} lost in roundoff", summary.too_coarse);
    return summary;
}

} // namespace slimgrad::verify
