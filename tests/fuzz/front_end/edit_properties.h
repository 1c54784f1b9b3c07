#pragma once

#include "rewriter/module_model.h"
#include "rewriter/source_edit.h"

#include <string>
#include <vector>

namespace slimgrad::front_end {

/// Applies `edits` and checks the result: only their bytes changed, nothing in a syntax error or a
/// macro's use was touched, and the diff gives the new text. Where the declaration around an edit and
/// those beside it have no errors, the file has as many as before. What apply_edits refuses is wrong, too.
void check_edits(const ModuleModel& model, const std::vector<std::string>& defines,
                 const std::vector<SourceEdit>& edits);

/// Edits as rules make them, each alone, at as many places of the model as is quick: an attribute
/// above a function and above a loop, a call around a call, a call's own text in its place.
std::vector<std::vector<SourceEdit>> usual_edits(const ModuleModel& model);

} // namespace slimgrad::front_end
