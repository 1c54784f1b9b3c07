#pragma once

#include "attributes/memory_roots.h"
#include "rewriter/module_model.h"
#include "rewriter/variable_flow.h"

#include <functional>
#include <vector>

namespace slimgrad {

/// Which functions of a module run with a derivative, per function: what fwd_diff and bwd_diff
/// take, kernels that are [Differentiable] themselves, and what these call where a derivative goes
/// through, or may: not under `detach`, in a condition, or where the callee has no derivative, as
/// `no_diff f(x)` has it. A function with a derivative of its own is one; what its body calls is
/// not. What macros differentiate is not seen.
std::vector<bool>
find_differentiated(const ModuleModel& model, const MemoryTracer& tracer,
                    const std::function<const FunctionFlow&(Index function)>& flow_of);

} // namespace slimgrad
