#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Stored results and contexts of calls, and stored buffer reads, that the backward pass could
/// compute again.
///
/// Example: the report says 4352 B at the `(` of `sampleGrid(q)`; sampleGrid only reads gW, which
/// no thread of the dispatch writes: [PreferRecompute(SideEffectBehavior.Allow)] on sampleGrid.
///
/// Offers nothing where the callee writes, depends on other threads, or reads what the dispatch
/// writes; `unsafe` where two parameters may alias. Does not judge whether the fix pays: trials do.
std::vector<Finding> prefer_recompute(const RuleInput& input);

} // namespace slimgrad
