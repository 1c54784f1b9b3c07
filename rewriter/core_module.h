#pragma once

#include <string_view>

namespace slimgrad {

/// Whether Slang's core module declares a function of this name in the global scope, or the language
/// has one: `sizeof`. Names with two leading underscores are taken for such.
bool is_core_function(std::string_view name);

/// Whether a type of the core module, or an interface of it, may have a method of this name.
bool is_core_method(std::string_view name);

/// Whether it declares a type of this name that is written with a capital letter:
/// "StructuredBuffer", "IDifferentiable", "Texture2D".
bool is_core_type(std::string_view name);

} // namespace slimgrad
