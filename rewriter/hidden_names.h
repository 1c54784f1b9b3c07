#pragma once

#include "rewriter/module_model.h"

namespace slimgrad {

/// Fills in `hidden_names` of the module and of its functions: the names that a macro declares in a
/// body, type or namespace without the model reading them, `CONSTS` with `#define CONSTS static
/// const int n = 4;`, and the functions that macros and syntax errors of the file declare. Such a
/// name means neither what is declared further out nor what is built in. A macro whose text cannot
/// be read by itself hides all names in it.
void find_hidden_names(ModuleModel& model);

} // namespace slimgrad
