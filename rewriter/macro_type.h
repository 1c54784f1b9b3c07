#pragma once

#include "rewriter/module_model.h"

#include <optional>
#include <string>
#include <string_view>

namespace slimgrad {

/// What a type's text means once the macros in it are replaced, modifiers left out: "float3" for
/// `vec3`, "float" for `CONST(float)` with `#define CONST(T) static const T`. Macros that stand for
/// numbers stay as they are written, `Vec<N>`. Nothing where it may be no type at all: a macro that
/// is not known, or that stands for something else.
/// With a place: as it is there, where macros have several meanings (macro_place.h).
std::optional<std::string> type_behind_macros(const ModuleModel& model, std::string_view written,
                                              std::optional<Site> place = {});

/// The declaration `written x;` with all macros in `written` replaced, if that is one; or nothing.
std::optional<std::string> declaration_behind_macros(const ModuleModel& model,
                                                     std::string_view written);

/// The name that macros stand for: "lerp" for `mix` with `#define mix lerp`, "my_f" for
/// `JOIN(my, f)` with `#define JOIN(a, b) a##_##b`. What stands for no name stays as it is.
std::string name_behind_macros(const ModuleModel& model, std::string name);

} // namespace slimgrad
