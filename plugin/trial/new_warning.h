#pragma once

#include "plugin/trial/trial_lab.h"

namespace slimgrad {

/// A warning of `after` that `before` does not have as often; null if there is none. Places are
/// left out: edits move them. A fix that writes a loop twice, as one with a threshold does, writes
/// its warnings twice: those are not new. A copy is a loop with the text of one that was there,
/// apart from attributes and white space, and it may warn as often as each of those did.
const Diagnostic* new_warning(const Trial& before, const Trial& after);

} // namespace slimgrad
