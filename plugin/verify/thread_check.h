#pragma once

#include "plugin/verify/comparison.h"
#include "plugin/verify/cpp_text.h"
#include "plugin/verify/input_plan.h"
#include "plugin/verify/kernel_run.h"
#include "plugin/verify/step.h"
#include "plugin/verify/thread_conflicts.h"

#include <optional>
#include <string>

namespace slimgrad::verify {

/// A kernel of the cuda machine whose threads are looked at.
struct ThreadedKernel {
    const std::string* code = nullptr; ///< what slangc emitted
    const InputPlan* plan = nullptr;
    const InstrumentedText* text = nullptr;
    KernelRunner::Call call;
    const KernelRun* run = nullptr; ///< of all samples
};

struct ThreadCheck {
    StepState state = StepState::passed;
    std::string detail;
    std::optional<ThreadConflict> conflict; ///< that decides
};

/// The step `threads`: whether two threads of the rewritten kernel write one scalar in no order
/// where the original's do not. Of a kernel alone (both are one): whether any do in floats or
/// groupshared memory, and whether it computes the same where its groups and threads run in the
/// opposite order. Not seen: who reads what others write in the same order both times.
/// `comparison`: of the runs. Error: the runner cannot be started.
Result<ThreadCheck> check_threads(KernelRunner& runner, const ThreadedKernel& original,
                                  const ThreadedKernel& rewritten, bool alone,
                                  const Comparison& comparison, const ProcessLimits& limits);

} // namespace slimgrad::verify
