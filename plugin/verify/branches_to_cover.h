#pragma once

#include "plugin/verify/branch_coverage.h"
#include "rewriter/module_model.h"

#include <set>
#include <string>
#include <vector>

namespace slimgrad {

/// The branches and loops of the differentiated functions that one dispatch of `entry_point` runs,
/// of their custom derivatives, and of the functions named in `also`, for the comparison to take
/// both ways. Other branches of the kernel are left out: what is before and after a gradient's
/// computation decides whether it is made, not what it is.
std::vector<verify::BranchToCover> branches_to_cover(const ModuleModel& model,
                                                     const std::string& entry_point,
                                                     const std::set<std::string>& also = {});

/// The functions whose text is not the same in both models, or which only one has: what none of the
/// inputs runs in them may differ. Overloads count as one.
std::set<std::string> changed_functions(const ModuleModel& original, const ModuleModel& rewritten);

} // namespace slimgrad
