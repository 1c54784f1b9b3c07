#pragma once

#include "plugin/verify/input_plan.h"
#include "plugin/verify/kernel_run.h"
#include "plugin/verify/step.h"

#include <string>

namespace slimgrad::verify {

/// A kernel in its checked build: what stays inside alone may not where buffers of indices overlap.
struct CheckedKernel {
    KernelRunner::Call call;
    const InputPlan& plan;
};

struct OverlapCheck {
    StepState state = StepState::passed;
    std::string detail;
};

/// The step `aliasing`: both write the same where inputs that may share memory do. Not applicable
/// where the original does not run so. Error: the runner cannot be started.
Result<OverlapCheck> check_overlapped(KernelRunner& runner, const CheckedKernel& original,
                                      const CheckedKernel& rewritten, double tolerance,
                                      const ProcessLimits& limits);

} // namespace slimgrad::verify
