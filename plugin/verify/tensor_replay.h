#pragma once

#include "plugin/slang/compiler.h"
#include "plugin/verify/replay_run.h"

#include <optional>
#include <string>

namespace slimgrad::verify {

/// The function f of "__kernel__f_bwd_diff", the backward kernel of a [CUDAKernel] that is
/// differentiated itself; nothing for other entry points.
std::optional<std::string> differentiated_kernel(const std::string& entry_point);

/// Runs the three kernels that slangc makes of such an f on the cuda machine: f with its input
/// tensors moved, f's backward and forward kernels with the outputs' gradients u and the inputs'
/// gradients in the diff halves of the tensors. Outputs are the differentiable tensors that f
/// writes, inputs the others. Only tensors move. Error: a tool cannot be started.
Result<Replay> replay_tensors(SlangCompiler& compiler, CpuLibraries& libraries,
                              KernelRunner& runner, const DerivativeRequest& request,
                              const ModuleVariant& variant, Precision precision);

} // namespace slimgrad::verify
