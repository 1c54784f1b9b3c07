#pragma once

#include "plugin/slang/compiler.h"
#include "plugin/verify/cpu_library.h"
#include "plugin/verify/input_plan.h"
#include "plugin/verify/kernel_run.h"
#include "plugin/verify/make_plan.h"
#include "plugin/verify/module_variant.h"
#include "plugin/verify/step.h"
#include "plugin/verify/verify.h"
#include "rewriter/module_model.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// One `bwd_diff(f)` and what its gradients were compared with. Values are sums over the calls of
/// one sample: the first sample that shows a mismatch, else the one with the largest error.
struct DifferentiatedCall {
    std::string function; ///< f as written
    Place place;          ///< of the word bwd_diff, or of the kernel that is differentiated itself
    StepReport dot_product, differences;
    double backward = 0;           ///< <J' u, v>
    double forward = 0;            ///< <u, J v>, where dot_product ran
    double central_difference = 0; ///< of <u, f(x + h v)>, where differences ran
    std::uint32_t samples = 0;     ///< judged
    std::uint32_t kinks = 0;       ///< samples where differences do not converge: not judged
    std::uint32_t mismatches = 0;  ///< of the judged
    std::uint32_t sample = 0;      ///< that the values are of
    /// Paths that the shader cuts on purpose (`detach`, `no_diff`) and with which removed the gradients agree.
    std::vector<Place> cuts;
    /// Custom derivatives on the way that the mismatch goes away without, by name.
    std::vector<std::string> custom_derivatives;
    /// Buffers whose gradients custom derivatives add into another and which were not checked.
    std::vector<std::string> unpaired;
};

/// What a gradient check has to know of one entry point.
struct DerivativeRequest {
    const ModuleVariant* variant = nullptr;
    const ModuleModel* model = nullptr;
    const Reflection* reflection = nullptr; ///< of the variant, for `machine`
    std::string entry_point;
    Machine machine = Machine::cpp;
    const VerifyOptions* options = nullptr;
    DefaultInputs defaults;                        ///< that keep the results finite
    std::map<std::string, std::uint64_t> elements; ///< of buffers that are larger than usual
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
