#pragma once

#include "rewriter/module_model.h"

#include <set>
#include <string>

namespace slimgrad {

/// The names that the trips of a loop may rest on in its function: those of its head and of the
/// heads around it, and, again and again, those of what sets these.
std::set<std::string> names_behind_trips(const ModuleModel& model, Index loop);

/// Whether the text from an #if to its #endif, in a function's body, may have a say in what
/// variables of these names are when the code after it runs, in any of its branches. It has none if
/// all branches are whole statements that leave no loop and no function and do at most read the
/// names. Macros mean all that any file defines them to be.
bool may_set(const ModuleModel& model, ByteRange body, Site group,
             const std::set<std::string>& names);

} // namespace slimgrad
