#pragma once

#include "attributes/rule.h"

#include <vector>

namespace slimgrad::front_end {

/// A report in which every call, loop, subscript and variable of the module is stored, and a
/// diagnostic for every loop: what makes the rules look at all of it.
CompileResult report_of_everything(const ModuleModel& model);

/// Runs every analysis of attributes/ that needs the model alone, and every rule on the report
/// above. Returns the edits of each fix that the rules offer.
std::vector<std::vector<SourceEdit>> run_analyses(const ModuleModel& model);

} // namespace slimgrad::front_end
