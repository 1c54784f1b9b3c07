#pragma once

#include "attributes/effects.h"
#include "rewriter/module_model.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// The name by which inputs and `gradient.NAME` know the memory: "w" of an entry point's parameter
/// "train.w".
std::string buffer_name(const ModuleModel& model, const MemoryRoot& root);

/// A buffer and the one that its gradient is added to.
struct GradientPair {
    std::string buffer, gradient;
    std::string obvious_from; ///< the custom derivative that shows it; "" where configured

    friend bool operator==(const GradientPair&, const GradientPair&) = default;
};

struct GradientPairs {
    std::vector<GradientPair> pairs; ///< by buffer
    /// By function with a custom backward derivative that writes memory: the buffers that the
    /// function reads, where it is not known which memory their gradients go to, so that they
    /// cannot be checked. The derivative's name where it cannot be told what the function reads.
    std::map<Index, std::set<std::string>> unpaired_of;
    std::vector<std::string> unpaired; ///< all of them

    /// Of one function and all that it calls.
    std::vector<std::string> unpaired_below(const EffectAnalysis& effects, Index function) const;
};

/// The custom backward derivatives of a function: not the forward ones, and no substitutes. What
/// cannot be told counts.
std::vector<Index> backward_derivatives(const ModuleModel& model,
                                        const CustomDerivatives& derivatives, Index function);

/// Which buffers' gradients a module collects in which buffers: what is configured (buffer ->
/// gradient), and what a custom derivative makes obvious:
///
///     [BackwardDerivative(loadBackward)]
///     float load(uint i) { return gW[i]; }
///     void loadBackward(uint i, float.Differential d) { InterlockedAdd(gWG[i], d); }
///
/// pairs gW with gWG: the function reads one global buffer at one index, the derivative, or what it
/// calls, only adds to one other global buffer with elements of the same type, at the same index,
/// something that depends on its last parameter. Whether what is added is right is not looked at:
/// that is what differences are for. Anything else is not obvious, nor is a buffer that two
/// derivatives pair differently.
GradientPairs gradient_pairs(const ModuleModel& model, const EffectAnalysis& effects,
                             const std::map<std::string, std::string>& configured);

/// What is wrong with the configured pairs, for this module: "gradient.weights: there is no buffer
/// 'weightGrads'"; "" if nothing is. Pairs of which the module has neither are another module's.
std::string problem_of_pairs(const ModuleModel& model, const EffectAnalysis& effects,
                             const std::map<std::string, std::string>& configured);

} // namespace slimgrad::verify
