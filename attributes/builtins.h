#pragma once

#include <string_view>

namespace slimgrad {

/// What a function or method of Slang's core module does beyond computing a value.
enum class BuiltinEffect {
    pure,           ///< the same result for the same arguments, nothing written
    reads_receiver, ///< reads the buffer, texture or tensor it is called on
    writes,         ///< writes its receiver or an argument
    impure,  ///< depends on other threads or on the moment, or is seen outside: waves, barriers,
             ///< printf
    unknown, ///< not in the table
};

/// Effect of a call of a name that the module does not declare.
/// Source: the Slang core module reference (docs.shader-slang.org, "Global declarations" and
/// "Types").
BuiltinEffect builtin_effect(std::string_view name);

/// Whether a method gives the size of what it is called on, which is not kept in its memory:
/// `tensor.size(0)`, `buffer.GetDimensions(n)`.
bool gives_shape(std::string_view method);

/// `float3`, `uint`, `matrix`, `DifferentialPair`, ...: a call of it makes a value.
bool is_builtin_type(std::string_view name);

} // namespace slimgrad
