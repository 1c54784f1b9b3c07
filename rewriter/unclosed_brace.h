#pragma once

#include "rewriter/source_file.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// A brace of a function's body that is not closed, and what follows it up to the declaration that
/// the text goes on with.
struct UnclosedBrace {
    std::uint32_t offset = 0; ///< of the brace that was left open, as far as the lines tell
    ByteRange body;           ///< of the function around it, from its own brace on
};

/// A text with the bodies of functions that are not closed emptied, same size and lines.
struct ClosedText {
    std::string text;
    std::vector<UnclosedBrace> unclosed;
};

/// Closes the bodies that still are open where a line begins with a declaration in its first
/// column, as far as a brace there never finds its end: without it a parser takes all that follows
/// for a part of the body. Types and namespaces are left open. Nothing if all is closed.
///
///     void f() { if (x) {             void f() {
///     }                         ->
///     void g() { }                    }void g() { }
std::optional<ClosedText> close_bodies(std::string_view text);

} // namespace slimgrad
