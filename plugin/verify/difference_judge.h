#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// The arithmetic in which a function was evaluated.
enum class Precision { float32, float64 };

/// Step sizes h for central differences, from the largest to the smallest, each a quarter of the
/// one before. They suit directions v whose scalars are near the size of the argument they move, or
/// near 1 where that is smaller.
std::span<const double> difference_steps(Precision precision);

/// L(h) = <u, f(x + h v)> for one direction v, summed in double.
struct DirectionalValues {
    double at_zero = 0;
    std::vector<double> plus, minus; ///< L(h) and L(-h) for difference_steps, in their order
    double magnitude =
        0; ///< sum of |u_i f_i| at 0, where it is known: terms that cancel still round
};

enum class DifferenceVerdict {
    agrees,
    mismatch,
    kink, ///< differences do not converge: a kink, a jump, a value that is not finite within the
          ///< smallest steps
    too_coarse, ///< roundoff hides what would tell
};

/// "agrees", "mismatch", "kink", "too coarse".
std::string to_string(DifferenceVerdict verdict);

struct DifferenceJudgement {
    DifferenceVerdict verdict = DifferenceVerdict::too_coarse;
    double gradient = 0;           ///< that was judged
    double central_difference = 0; ///< the best of them
    double error =
        0; ///< of the central difference: roundoff and what is left of h, a generous guess
    bool flat = false; ///< L does not change at all: says nothing about gradients that flow
    Precision precision = Precision::float64;
    bool lost_slope = false; ///< the gradient is 0, and that L stands still may be its roundoff
};

/// Judges `gradient` = <J' u, v> of a backward pass against differences of L.
///
/// `agrees`: the two smallest steps that roundoff leaves any use agree to 1e-2 (float32) or 2e-4
/// (float64) of the gradient. `mismatch`: from the smallest step that can tell on, three steps in a
/// row converge to something else, from both sides. Kinks that a step straddles show in the two
/// sides: with a jump or a kink on one side of 0 these differ by at least twice what central
/// differences are off by. Roundoff is at least that of |L| or `magnitude`, and what the smallest
/// steps show. Not seen: structure that is finer than the smallest step that roundoff leaves any
/// use, and gradients which are exact for the program but lost in its own cancellations; hence
/// `mismatch` of one sample proves nothing, see summarize_differences. A gradient that is NaN or
/// infinite where L converges is a mismatch.
DifferenceJudgement judge_differences(const DirectionalValues& values, double gradient,
                                      Precision precision);

struct DifferenceSummary {
    enum class Outcome { right, wrong, cannot_tell };
    Outcome outcome = Outcome::cannot_tell;
    std::uint32_t samples = 0, agreeing = 0, mismatching = 0, kinks = 0, too_coarse = 0;
    std::size_t sample = 0; ///< to show: the first that mismatches, else the first that agrees and
                            ///< is not flat, else 0
    /// gradient / difference, where it is the same within 1 % in all mismatching samples: 2 for a
    /// gradient counted twice.
    std::optional<double> factor;
    std::string reason; ///< "31 of 32 inputs mismatch", "20 of 32 inputs agree, 12 at kinks"
};

/// Judges all samples together.
/// `wrong`: at least three samples and an eighth of those that could be judged mismatch, a quarter
/// in float32, whose smallest steps see less.
/// `right`: none mismatches and half of all agree, one of them with a gradient that is not zero;
/// and no three and an eighth have a gradient of 0 where only roundoff keeps L still. Else
/// `cannot_tell`: one sample that mismatches among many that agree lies at a jump that no step
/// straddled, as likely as not.
DifferenceSummary summarize_differences(std::span<const DifferenceJudgement> samples);

} // namespace slimgrad::verify
