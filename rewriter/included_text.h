#pragma once

#include "rewriter/module_model.h"
#include "rewriter/preprocessor.h"

#include <string>
#include <vector>

namespace slimgrad {

/// Finds what `#include` puts into a function, a type or a value. Its file is no text of its own:
/// it is blanked, with the tree of it, unless it is included elsewhere, too. Fills in the model's
/// `included`. To be called when the trees are there and nothing is read of them.
void set_included_text_aside(ModuleModel& model, const std::vector<Inclusion>& inclusions,
                             std::vector<std::string>& texts);

} // namespace slimgrad
