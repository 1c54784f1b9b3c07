#pragma once

#include "plugin/slang/compiler.h"
#include "plugin/verify/cpu_library.h"
#include "plugin/verify/differentiated_call.h"
#include "plugin/verify/input_plan.h"
#include "plugin/verify/kernel_run.h"
#include "plugin/verify/make_plan.h"
#include "plugin/verify/module_variant.h"
#include "plugin/verify/verify.h"
#include "rewriter/module_model.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace slimgrad::verify {

/// What a gradient check has to know of one entry point.
struct DerivativeRequest {
    const ModuleVariant* variant = nullptr;
    const ModuleModel* model = nullptr;
    const Reflection* reflection = nullptr; ///< of the variant, for `machine`
    /// The variant's own text for `machine`, if known: then what it writes is compared with what it
    /// writes in double.
    const std::string* code = nullptr;
    std::string entry_point;
    Machine machine = Machine::cpp;
    const VerifyOptions* options = nullptr;
    DefaultInputs defaults;                        ///< that keep the results finite
    std::map<std::string, std::uint64_t> elements; ///< of buffers that are larger than usual
    /// By tensor and dimension, of those that are larger than usual.
    std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> tensor_sizes;
};

/// Checks the gradients of every `bwd_diff(f)` that the entry point runs, against fwd_diff(f) and
/// central differences, on the arguments that the kernel passes for the usual random inputs.
/// Blind to what both sides share: a kernel that passes wrong arguments differentiates the wrong
/// thing rightly. Error: a tool cannot be started. What cannot be checked says so in its steps.
Result<std::vector<DifferentiatedCall>> check_derivatives(SlangCompiler& compiler,
                                                          CpuLibraries& libraries,
                                                          KernelRunner& runner,
                                                          const DerivativeRequest& request);

} // namespace slimgrad::verify
