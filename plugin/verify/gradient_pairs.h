#pragma once

#include "attributes/effects.h"
#include "rewriter/module_model.h"

#include <map>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// A buffer and the one that its gradient is added to.
struct GradientPair {
    std::string buffer, gradient;
    std::string obvious_from; ///< the custom derivative that shows it; "" where configured

    friend bool operator==(const GradientPair&, const GradientPair&) = default;
};

struct GradientPairs {
    std::vector<GradientPair> pairs; ///< by buffer
    /// Buffers that a function with a custom backward derivative reads, where that derivative
    /// writes memory and it is not known what for: their gradients cannot be checked.
    std::vector<std::string> unpaired;
};

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

} // namespace slimgrad::verify
