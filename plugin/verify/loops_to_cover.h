#pragma once

#include "attributes/rule.h"
#include "plugin/verify/verify.h"
#include "rewriter/module_model.h"

#include <string>
#include <vector>

namespace slimgrad {

/// The loops that one dispatch of `entry_point` runs forward and backward, for the comparison to
/// exercise. Unrolled loops are left out: they have no trip count at run time.
std::vector<LoopToCover> loops_to_cover(const ModuleModel& model, const std::string& entry_point,
                                        const Promises& promises);

} // namespace slimgrad
