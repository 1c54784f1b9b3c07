#pragma once

#include "rewriter/module_model.h"

#include <optional>
#include <string_view>

namespace slimgrad {

/// What a name stands for as a macro at a place: null where it is none, before its #define or
/// behind its #undef. Nothing where that is not certain: other files define it or undefine it, a
/// condition has a say, or the file is read several times.
std::optional<const MacroDefinition*> macro_at(const ModuleModel& model, std::string_view name,
                                               Site place);

} // namespace slimgrad
