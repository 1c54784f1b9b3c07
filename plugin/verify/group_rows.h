#pragma once

#include "plugin/verify/input_plan.h"
#include "plugin/verify/kernel_run.h"
#include "rewriter/result.h"

#include <cstddef>

namespace slimgrad::verify {

/// Whether what a group of the kernel writes depends on its place along y (`axis` 1) or z (2), so
/// that several of them belong to a launch. Groups that overwrite each other's results are not
/// meant to be there; `adds`: the kernel has atomic functions, with which they add to each other's.
/// Looks at a few samples only. Error: the runner cannot be started.
Result<bool> depends_on_place(KernelRunner& runner, KernelRunner::Call call, InputPlan plan,
                              std::size_t axis, bool adds, const ProcessLimits& limits);

} // namespace slimgrad::verify
