#pragma once

#include "attributes/effects.h"
#include "rewriter/module_model.h"

#include <string>
#include <vector>

namespace slimgrad::verify {

/// One `bwd_diff(f)(..)` of a module, or a custom backward derivative of f, which generated code
/// calls.
struct DerivativeSite {
    Index call = none;       ///< of the model; none for a macro that holds bwd_diff
    Index derivative = none; ///< the custom derivative: a function of the model
    std::string function;    ///< f as written
    Site callee;             ///< `bwd_diff(f)`, the custom derivative's name
    /// Names by which the module's own scope may know f, the innermost scope's first: "N.f", "f".
    /// Before them those with the generic arguments that the call shows: "f<Ggx>".
    std::vector<std::string> names;
    std::string problem;        ///< why nothing can take the call's place
    bool moves_buffers = false; ///< f reads buffers that move along with its arguments
    bool backward_only = false; ///< what fwd_diff(f) gives, if anything, is not asked for
};

/// The function that an entry point of the compiler's is made of: "f" of "__kernel__f", which is
/// what an [AutoPyBindCUDA] kernel f is called in the text for CUDA.
std::string source_entry_point(const std::string& entry_point);

/// What an entry point runs first of the module's own: itself, or of "__kernel__f_bwd_diff", which
/// slangc makes of a differentiable [AutoPyBindCUDA] kernel f, f.
std::vector<Index> source_functions(const ModuleModel& model, const std::string& entry_point);

/// The `bwd_diff` calls in an entry point and in the functions that it reaches, in the order of the
/// text. Calls that a macro makes are not in the model: the first use of a macro that holds
/// bwd_diff, or may paste it together, is a site that has a problem.
std::vector<DerivativeSite> find_derivative_sites(const ModuleModel& model,
                                                  const std::string& entry_point);

/// The custom backward derivatives that run when f is differentiated, in the order of the model.
/// Without those of methods.
std::vector<DerivativeSite> custom_derivative_sites(const ModuleModel& model,
                                                    const EffectAnalysis& effects,
                                                    const std::string& function);

/// Whether the function, or what it calls, may call bwd_diff of a function that has a derivative
/// written by hand. In the emitted text that is a plain call, which does not look like a backward
/// pass.
bool differentiates_by_hand(const ModuleModel& model, const EffectAnalysis& effects,
                            const std::string& function);

} // namespace slimgrad::verify
