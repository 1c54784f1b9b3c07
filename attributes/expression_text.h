#pragma once

#include "rewriter/words.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Reading of short pieces of source text, such as a call's argument or a declared type, where no
/// tree is at hand.
namespace slimgrad {

/// Without any white space and outer parentheses: "a+b" of "( a + b )".
std::string compact(std::string_view expression);

/// The name that the text begins with: "a" of "a.b[3]"; "" where it begins otherwise.
std::string first_name(std::string_view text);

/// The name that a qualified one ends with, generic arguments left out: "g" of "N::S<A>.g<T>".
std::string last_name(std::string_view qualified);

/// All names that are not members of another one: "a" and "n" of "a.x + n".
std::vector<std::string> names_in(std::string_view expression);

/// "x" and "8" of `min(x, 8)` for callee "min"; nothing where the text is not one call of it. The
/// text is compact.
std::optional<std::vector<std::string>> call_arguments(const std::string& expression,
                                                       std::string_view callee);

/// "B" and "C<D>" of "A<B, C<D>>".
std::vector<std::string_view> type_arguments(std::string_view type);

/// Whether no number of the text is a floating-point one, and no comma chooses among values: "N",
/// "f(2, 0x1e1)"; not "1e1", "10.5", "(N, 2)".
bool is_integer_text(std::string_view text);

} // namespace slimgrad
