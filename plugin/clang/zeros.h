#pragma once

#include "plugin/clang/generated_code.h"

#include <clang/AST/ASTContext.h>
#include <cstdint>
#include <optional>
#include <string>

namespace slimgrad {

using Variable = const clang::VarDecl*;

/// Is the value 0, whatever it is made of: `0.0f`, `int(0)`, `make_float3 (0.0f)`, a list of zeros,
/// a variable that is initialized so and never changes? False also means: not known.
bool is_zero_value(clang::ASTContext& context, const clang::Expr* value);

/// What an array of zeros is made of.
struct Zeros {
    std::uint64_t extent = 0;
    clang::QualType type;                 ///< of an element
    const clang::Expr* element = nullptr; ///< as all of them are written; null: `{}`
};
/// The elements of `{ x, x, x }` or `{}`, as the initializer of a FixedArray or of a variable that
/// the expression copies. None where they are not all written alike, or not 0.
std::optional<Zeros> zeros_in(clang::ASTContext& context, const clang::Expr* expression);
/// The same for `{}` of this type, a FixedArray.
std::optional<Zeros> zeros_of(clang::QualType type);
/// One element as C++: "0.0f", "_S55", "float2{}".
std::string text_of_zero(clang::ASTContext& context, const Zeros& zeros);
/// The local array of zeros that an expression copies; or null.
Variable zero_array(clang::ASTContext& context, const clang::Expr* expression);
/// The list that initializes a variable; or null.
const clang::InitListExpr* list_of(Variable variable);
/// `{}`, all of it left out.
bool is_empty(const clang::InitListExpr* list);
/// The variable that an expression loads or copies, or null.
Variable variable_in(const clang::Expr* expression);

} // namespace slimgrad
