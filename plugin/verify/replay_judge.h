#pragma once

#include "plugin/verify/difference_judge.h"
#include "plugin/verify/differentiated_call.h"
#include "plugin/verify/replay_run.h"
#include "plugin/verify/step.h"

#include <string>
#include <vector>

namespace slimgrad::verify {

/// Ends a step that has not run yet; others keep what they say.
void not_applicable(StepReport& step, std::string why);
/// Both steps of the call.
void not_applicable(DifferentiatedCall& call, const std::string& why);

/// Judges <J' u, v> against <u, J v>, unless the step says already why it cannot. Both sides are
/// exact up to rounding, so few samples decide. On a kink they may take different sides: one sample
/// alone decides nothing among many.
void judge_dot_product(DifferentiatedCall& call, const std::vector<ReplayValues>& samples,
                       Precision precision);

/// One sample whose calls count alike, however large what each contributes: each with its own
/// <J' u, v> as the unit, or with what roundoff leaves of it. Did not run where the calls are of
/// similar size, so that their sum says as much, or are not finite.
ReplayValues evened_out(const std::vector<ReplayValues>& calls, Precision precision);

/// Judges the gradients of a replay against central differences: those of the arguments and those
/// of each buffer on their own. What is right in the sum over a sample's calls is wrong all the
/// same where single calls are and show it as soon as they count as much as others. One part that
/// is wrong makes the call wrong, one that cannot be told leaves it open; a part that moves
/// nothing, as its gradient says, says nothing.
void judge_differences_of(DifferentiatedCall& call, const Replay& replay, Precision precision);

} // namespace slimgrad::verify
