#pragma once

#include "attributes/effects.h"
#include "rewriter/module_model.h"

#include <string>
#include <vector>

namespace slimgrad::verify {

/// Why the gradients of f, as written in `bwd_diff(f)`, cannot be compared with differences: it
/// does more than to return a function of its arguments and of memory. "" if they can.
std::string side_effect(const ModuleModel& model, const EffectAnalysis& effects,
                        const std::string& function);

/// A function that f reaches and that has a backward derivative of its own and no forward one: what
/// fwd_diff(f) gives then is not the same function's derivative. "" if there is none.
std::string without_forward_partner(const ModuleModel& model, const EffectAnalysis& effects,
                                    const std::string& function);

/// Whether f, or what it calls, may read the buffer or tensor of this name.
bool reads(const ModuleModel& model, const EffectAnalysis& effects, const std::string& function,
           const std::string& buffer);

/// All functions that f, as written in `bwd_diff(f)`, may mean.
std::vector<Index> functions_named(const ModuleModel& model, const std::string& function);

} // namespace slimgrad::verify
