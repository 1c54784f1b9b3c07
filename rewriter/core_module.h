#pragma once

#include <string_view>

namespace slimgrad {

/// Whether Slang's core module declares a function or method of this name. Functions with two
/// leading underscores are left out.
bool is_core_function(std::string_view name);

/// Whether it declares a type of this name that is written with a capital letter:
/// "StructuredBuffer", "IDifferentiable", "Texture2D".
bool is_core_type(std::string_view name);

} // namespace slimgrad
