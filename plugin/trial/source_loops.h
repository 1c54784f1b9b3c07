#pragma once

#include "attributes/rule.h"
#include "plugin/cuda/loop_trips.h"
#include "rewriter/module_model.h"

#include <vector>

namespace slimgrad {

/// Every loop of a module with its lines, and how often it runs at most as far as that is proved or
/// promised: [MaxIters(N)] promises it, too. For estimates only: of a generic function's loop the
/// specialization with the most trips counts.
std::vector<LoopTrips> source_loops(const ModuleModel& model, const Promises& promises);

} // namespace slimgrad
