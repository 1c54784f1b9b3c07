#pragma once

#include "rewriter/module_model.h"

#include <string>

namespace slimgrad {

/// Fills in `unread_macros` of the model: uses of macros in functions' bodies that may set a
/// variable or leave the function where the model does not see it. A macro that is a value, a type,
/// an attribute or a statement's head is none; `NM` with `#define NM n` is one where it is assigned
/// to or passed on alone, as in `NM = 2`, `++NM`, `f(NM)`.
void find_unread_macros(ModuleModel& model, const std::vector<std::string>& texts);

/// Whether the macro may set what stands beside it, too: `n INC;` with `#define INC ++`, `f CALL;`
/// with `#define CALL (n)`, `a AT = 1;` with `#define AT [0]`.
bool sets_what_is_beside(const ModuleModel& model, const UnreadMacro& macro);

/// Replaces macros that are whole statements, `SET return x;` with `#define SET g = x;`, by an
/// empty statement: what follows would be read as a part of them. Those with a `;` behind them
/// stay.
void mark_whole_statements(std::string& text, const ModuleModel& model);

} // namespace slimgrad
