#pragma once

#include "rewriter/module_model.h"

#include <string>
#include <string_view>

namespace slimgrad {

/// The type of a field in the words of who writes `type`: "float[2]" for the field `T v[2]` of a
/// `Box<float>`. "" where it names a generic parameter whose argument `type` does not say, as the
/// name of a type inside of a generic one does.
std::string field_type(const ModuleModel& model, const TypeDeclaration& declared,
                       std::string_view type, std::string_view field);

/// "Inner<B>" of "Outer<A>.Inner<B>", where Outer is a type of the module; else all of it.
std::string_view inner_type(const ModuleModel& model, std::string_view type);

} // namespace slimgrad
