#pragma once

#include "rewriter/module_model.h"

#include <cstdint>
#include <string_view>

/// What a name in a function's body means, as far as the function itself declares it: `function`
/// may be `none`, for text outside all functions. Scopes are not followed.
namespace slimgrad {

/// The generic parameter of this name, of the function or of a type around it; null where there is
/// none.
const GenericParameter* find_generic(const ModuleModel& model, Index function,
                                     std::string_view name);
bool is_generic(const ModuleModel& model, Index function, std::string_view name);

/// Whether the function has a local variable of this name, or several.
bool is_local_name(const ModuleModel& model, Index function, std::string_view name);

/// Whether a variable of the function hides what the name means outside of it: a local, a
/// parameter, one of a lambda in it, or a field of its type.
bool is_variable_name(const ModuleModel& model, Index function, std::string_view name);

/// The local variable of this name; null where there is none, and where there are several: it could
/// be any of them.
const LocalVariable* find_local(const ModuleModel& model, Index function, std::string_view name);

/// The parameter of this name and its `index`; null where there is none.
const Parameter* find_parameter(const ModuleModel& model, Index function, std::string_view name,
                                std::uint32_t& index);

/// Whether the name is a parameter, local or global variable that is declared unsigned. `var` and
/// `let` are not followed.
bool is_unsigned_name(const ModuleModel& model, Index function, std::string_view name);

} // namespace slimgrad
