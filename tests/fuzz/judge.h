#pragma once

#include "tests/fuzz/laboratory.h"

#include <optional>
#include <string>
#include <vector>

namespace slimgrad::hunt {

enum class FindingKind {
    failure,  ///< a variant did not run to its end, though another did or though none did: see the
              ///< fate
    mismatch, ///< two variants have different values or gradients
    differences, ///< a gradient is not that of central differences
};

/// What is wrong with a program.
struct Finding {
    FindingKind kind = FindingKind::mismatch;
    Fate fate = Fate::ran; ///< of a failure
    std::string wrong;     ///< the variant that is, by central differences where they decide
    std::string right;     ///< one that it was compared with; "" if there is none
    std::string detail;    ///< "gradient 2 is 0 and 0.731, central differences 0.731"
};

/// "slangc does not end", "gradients differ", "not central differences".
std::string to_string(const Finding& finding);

/// The first thing that is wrong. `precision`: of the run that gave the result. What is found in
/// single precision may be rounding; what is found in double is not: there variants agree to 1e-9,
/// central differences to 1e-6 and what they are uncertain by themselves. Differences that do not
/// converge (a threshold lies within the step) and gradients too steep to tell say nothing.
std::optional<Finding> judge(const Trial& trial, const TrialResult& result, Precision precision);

/// Whether central differences had a say about any gradient.
bool has_judged_slope(const TrialResult& result);

} // namespace slimgrad::hunt
