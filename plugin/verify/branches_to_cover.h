#pragma once

#include "plugin/verify/branch_coverage.h"
#include "rewriter/module_model.h"

#include <set>
#include <string>
#include <vector>

namespace slimgrad {

/// The branches, selections and loops of the differentiated functions that one dispatch of
/// `entry_point` runs, of their custom derivatives, and of the functions that `changes` names, for
/// the comparison to take both ways. Other branches of the kernel are left out: what is before and
/// after a gradient's computation decides whether it is made, not what it is. Maxima and minima
/// only where `changes` names one of their values.
std::vector<verify::BranchToCover> branches_to_cover(const ModuleModel& model,
                                                     const std::string& entry_point,
                                                     const std::set<std::string>& changes = {});

/// The functions whose text is not the same in both models, or which only one has: what none of the
/// inputs runs in them may differ. Overloads count as one. Also the values that only one chooses
/// from (changed_arms): what is never chosen may differ.
std::set<std::string> changed_functions(const ModuleModel& original, const ModuleModel& rewritten);

} // namespace slimgrad
