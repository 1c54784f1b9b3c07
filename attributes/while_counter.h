#pragma once

#include "attributes/checkpointed_loops.h"
#include "rewriter/result.h"
#include "rewriter/source_edit.h"

#include <vector>

/// Loops that step their counter in their body, as `for` loops.
namespace slimgrad {

/// `int i = 0; while (i < n) { ..; i++; }` as `int i = 0; for (; i < n; i++) { .. }`.
///
/// Error: the step is not the last that the body does, a `continue` skips it, ...
Result<std::vector<SourceEdit>> step_in_head(const ModuleModel& model, CheckpointedLoops& loops,
                                             Index loop);

/// `int i = 0; do { ..; i++; } while (i < 3);` as `int i = 0; for (; i < 3; i++) { .. }`.
///
/// Error: its first trip is not known to be one of the `for`, ...
Result<std::vector<SourceEdit>> test_in_head(const ModuleModel& model, CheckpointedLoops& loops,
                                             Index loop);

} // namespace slimgrad
