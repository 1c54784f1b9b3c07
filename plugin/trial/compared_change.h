#pragma once

#include "plugin/trial/trial.h"
#include "plugin/trial/trial_lab.h"

namespace slimgrad {

/// The worst of TrialLab::check over all entry points; right where all are.
Result<VerifyResult> check_gradients(TrialLab& lab, const Trial& trial);

/// TrialLab::compare. Where the gradients differ and may, by a fix that has another derivative
/// (Fix::other_derivative), the verdict is Verdict::right if central differences confirm both the
/// original's and the rewritten form's.
Result<VerifyResult> compare_change(TrialLab& lab, const Trial& original, const Trial& rewritten,
                                    const std::vector<TriedFix>& steps,
                                    VerifyDepth depth = VerifyDepth::quick);

/// Equal, or as right.
bool is_accepted(const VerifyResult& verified);

} // namespace slimgrad
