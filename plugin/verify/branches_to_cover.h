#pragma once

#include "plugin/verify/branch_coverage.h"
#include "rewriter/module_model.h"

#include <string>
#include <vector>

namespace slimgrad {

/// The branches and loops of the differentiated functions that one dispatch of `entry_point` runs,
/// for the comparison to take both ways. Other branches of the kernel are left out: what is before
/// and after a gradient's computation decides whether it is made, not what it is.
std::vector<verify::BranchToCover> branches_to_cover(const ModuleModel& model,
                                                     const std::string& entry_point);

} // namespace slimgrad
