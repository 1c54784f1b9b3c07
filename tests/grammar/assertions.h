#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::tests {

/// What a comment of tree-sitter's highlight and tag tests says of the line above it:
///
///     float f(float x)
///     // <- type.builtin
///     //    ^ function
///     //            ^ !variable
///
/// `<-` means the place above the comment, `^` (or several) the places above it, `!` any other
/// name.
struct Assertion {
    std::size_t line;   ///< of the comment, counted from 1
    std::size_t offset; ///< the byte that it speaks of
    std::size_t length; ///< bytes
    bool negative;
    std::string name;
};

/// Every assertion of this text. Only comments that have a line of their own count.
std::vector<Assertion> read_assertions(std::string_view source);

} // namespace slimgrad::tests
