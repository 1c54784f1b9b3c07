#pragma once

#include "plugin/verify/input_plan.h"
#include "plugin/verify/kernel_run.h"
#include "plugin/verify/verify.h"

#include <optional>
#include <string>

namespace slimgrad::verify {

/// What two runs on the same inputs wrote, set against each other.
struct Comparison {
    /// The first beyond the tolerance; one that rounding cannot explain before others.
    std::optional<Difference> difference;
    bool bit_equal = true;
    double largest_error = 0;  ///< relative; infinite where only the original's value is finite
    bool any_not_zero = false; ///< the original wrote something that is not zero
    /// The first pair within the tolerance only since the rest of the buffer is so much larger.
    std::optional<Difference> hidden_difference;
    std::optional<Difference> not_finite; ///< the first value of the original that is not finite,
                                          ///< where both agree on that
};

/// Compares scalar by scalar: |a-b| <= tolerance * max(|a|, |b|, RMS), RMS over the scalars that
/// the original changed in that buffer and sample; doubles at 1e-10 at most; integers and booleans
/// have to be the same. NaN equals nothing: where both have it, `not_finite` says so. What only one
/// of the plans has counts as unchanged in the other.
Comparison compare_runs(const KernelRun& original, const InputPlan& original_plan,
                        const KernelRun& rewritten, const InputPlan& rewritten_plan,
                        double tolerance);

/// "gIn[3]", "gParticles[3].mass": a scalar of a buffer of the plan.
std::string scalar_name(const InputPlan& plan, const std::string& buffer, std::uint64_t scalar);

} // namespace slimgrad::verify
