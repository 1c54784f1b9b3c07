#pragma once

#include "rewriter/module_model.h"

#include <map>
#include <set>
#include <string>

namespace slimgrad {

/// The names that the trips of a loop may rest on in its function: those of its head and of the
/// heads around it, and, again and again, those of what sets these.
std::set<std::string> names_behind_trips(const ModuleModel& model, Index loop);

/// The first macro that is used in the function of a loop and may set a variable of these names, or
/// "". Macros that the model reads as what they stand for are none.
std::string macro_that_may_set(const ModuleModel& model, Index loop,
                               const std::set<std::string>& names);

/// What the files of a module define macros to be, by name: parameters and text, in branches that
/// are not taken, too, and what -D options say.
using MacroTexts = std::multimap<std::string, std::string>;
MacroTexts read_macro_texts(const ModuleModel& model);

/// Whether the text from an #if to its #endif, in a function's body, may have a say in what
/// variables of these names are when the code after it runs, in any of its branches. It has none if
/// all branches are whole statements that leave no loop and no function and do at most read the
/// names. Macros mean all that `macros` has of them.
bool may_set(const ModuleModel& model, ByteRange body, Site group,
             const std::set<std::string>& names, const MacroTexts& macros);

} // namespace slimgrad
