#pragma once

#include "attributes/checkpointed_loops.h"
#include "attributes/rule.h"

namespace slimgrad {

/// The edits after which a loop does not carry a local variable from trip to trip that only its
/// tests read, so that the compiler has nothing to store of it.
///
/// Examples:
///   for (..) { v = f(v); if (abs(v - old) < e) break; old = v; }
/// what it is set to last still holds at the start of the next trip:
///   for (..) { float old = i > 0 ? v : 0.f; v = f(v); if (abs(v - old) < e) break; }
///
///   for (..) { if (abs(v - old) < e) break; old = v; v = f(v); }
/// and the same with the test in the loop's head: the test goes to the end of the trip before,
///   if (!(abs(v - 0.f) < e))
///       for (..) { float old = v; v = f(v); if (abs(v - old) < e) break; }
///
/// Error: why it is left as it is.
Result<Fix> without_carried(const RuleInput& input, CheckpointedLoops& loops, Index loop,
                            Index local);

} // namespace slimgrad
