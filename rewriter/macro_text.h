#pragma once

#include "rewriter/module_model.h"

#include <optional>
#include <string>
#include <string_view>

namespace slimgrad {

/// `text` with the module's macros in it replaced by what they stand for, macros in that included;
/// a macro is not replaced in its own expansion. Nothing where one cannot be: a macro that the
/// module defines in several ways, a function-like one whose arguments do not fit, or more than 64
/// KiB. Example: "INOUT(float3) p" with `#define INOUT(T) inout T` gives "inout float3 p".
std::optional<std::string> expand_macros(const ModuleModel& model, std::string_view text);

} // namespace slimgrad
