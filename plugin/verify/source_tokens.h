#pragma once

#include "rewriter/source_file.h"

#include <string_view>
#include <vector>

namespace slimgrad::verify {

/// One token of a Slang text.
struct SourceToken {
    enum class Kind {
        word,   ///< a name or keyword
        number, ///< with its suffix: "1.0f", "0xffu"; signs are not part of it
        other,  ///< one character of punctuation, or `##`
    };
    Kind kind = Kind::other;
    std::string_view text; ///< points into the text
    ByteRange range;
};

/// The tokens of a text, or of a part of it: bodies of macros have no syntax tree. Comments,
/// strings and characters are left out. Does not expand macros and accepts any bytes. A digit
/// string and a swizzle, `1.xxx`, are three tokens.
std::vector<SourceToken> source_tokens(std::string_view text, ByteRange part);

/// Whether a number is a literal of a floating-point type: "1.0", ".5h", "1e3"; not "1", "0xe1".
bool is_float_literal(std::string_view number);

} // namespace slimgrad::verify
