#pragma once

#include "rewriter/conversion.h"

#include <string_view>
#include <vector>

namespace slimgrad {

/// Result of a function of the core module; null for most that are not arithmetic.
TypeRef core_function_result(Semantics& semantics, std::string_view name,
                             const std::vector<Argument>& arguments,
                             const std::vector<TypeRef>& generic_arguments);

/// Result of a method of a type of the core module; null where it is not known.
TypeRef core_method_result(TypeTable& types, TypeRef object, std::string_view name,
                           const std::vector<TypeRef>& generic_arguments);

/// What `object[i]` is, for arrays, vectors, matrices and types of the core module; null for others.
TypeRef core_element(TypeTable& types, TypeRef object);

/// A member variable of a type of the core module, a swizzle, an element of a matrix; null for
/// others.
TypeRef core_member(Semantics& semantics, TypeRef object, std::string_view name);

} // namespace slimgrad
