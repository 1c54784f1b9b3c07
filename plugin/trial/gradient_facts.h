#pragma once

#include "attributes/gradient_fact.h"
#include "plugin/trial/variant.h"

#include <vector>

namespace slimgrad {

/// What running a module's kernels shows to be wrong with its gradients, for the rule
/// wrong-gradient. Checks every entry point against central differences, and once more without
/// [PreferRecompute] where it has some. Says nothing where nothing could be told.
Result<std::vector<GradientFact>> gradient_facts(VariantLab& lab, const Variant& variant);

} // namespace slimgrad
