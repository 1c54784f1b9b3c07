#pragma once

#include "rewriter/module_model.h"

#include <string>
#include <vector>

namespace slimgrad {

/// Once the declarations and bodies of all files are read: fills what the calls' callees are and
/// the types of expressions, and adds the calls that are written as operators, subscripts and
/// properties (CallForm). `texts` are what the trees of the model were parsed from.
///
/// Names are looked up in the scopes of the text: local variables, members with those of bases and
/// extensions, generic parameters, namespaces and `using`, all files of the module. Whether one
/// file sees what another imports is not checked. Where types that are not known decide between
/// functions, or a macro's expansion may, a call stays unresolved.
void resolve_calls(ModuleModel& model, const std::vector<std::string>& texts);

} // namespace slimgrad
