#pragma once

#include "plugin/slang/reflection.h"

#include <slang.h>

namespace slimgrad::slang_plugin {

/// The type as laid out for the target that the layout was made for. Recursive types (a structure
/// with a pointer to itself) end in a pointer without an element.
TypeLayout reflect_type(slang::TypeLayoutReflection& layout);

/// Globals in declaration order, unused ones included, and the entry points. Functions are not
/// filled in.
Reflection reflect_layout(slang::ProgramLayout& program);

/// The name as Slang writes it: "RWStructuredBuffer<float>".
std::string full_name(slang::TypeReflection* type);

} // namespace slimgrad::slang_plugin
