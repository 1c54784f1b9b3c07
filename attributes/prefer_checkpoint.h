#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Step functions of unrolled loops that might be stored rather than computed again, and, where
/// `input.reconsider` asks for it, functions that are stored since the user marked them so.
///
/// Example: `for (..) s = step(s);` under [ForceUnroll]: [PreferCheckpoint] on step. Only a search
/// (`input.searching`) is offered it: it helps some kernels and harms others.
std::vector<Finding> prefer_checkpoint(const RuleInput& input);

} // namespace slimgrad
