#pragma once

#include "rewriter/module_model.h"

#include <string>
#include <string_view>

namespace slimgrad {

/// What a type's text stands for, aliases followed: "float2" for "vec2" with `typedef
/// float2 vec2;`. The text itself where it is no alias, and where several of that name differ or a
/// generic parameter has it. Arguments, sizes and qualified names are left as they are.
std::string type_behind_alias(const ModuleModel& model, std::string_view type);

} // namespace slimgrad
