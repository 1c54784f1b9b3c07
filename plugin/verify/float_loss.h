#pragma once

#include "plugin/verify/cpu_library.h"
#include "plugin/verify/derivative_check.h"
#include "plugin/verify/input_plan.h"
#include "plugin/verify/kernel_run.h"

#include <string>

namespace slimgrad::verify {

/// A scalar that a kernel writes as 0, or as next to nothing, for most inputs, and that is not 0 in
/// double: "gGrad[3] is 0 in float and 0.0003 in double (input 2)"; "" if there is none. Only what
/// the scalar's type could hold counts, and what the rest of its buffer does not make negligible.
/// What is rounded to 0 now and then, or cancels in both, is no loss.
std::string find_loss(const KernelRun& single, const InputPlan& single_plan,
                      const KernelRun& in_double, const InputPlan& double_plan);

/// Runs the request's kernel as it is and sets it against a run in double on the same inputs. ""
/// also where it does not run. Error: a tool cannot be started.
Result<std::string> lost_in_float(CpuLibraries& libraries, KernelRunner& runner,
                                  const DerivativeRequest& request, const KernelRun& in_double,
                                  const InputPlan& double_plan);

} // namespace slimgrad::verify
