#include "plugin/verify/verify.h"

#include "rewriter/words.h"

#include <algorithm>
#include <set>
#include <string>

namespace slimgrad {
namespace {

constexpr std::string_view words[] = {"__intrinsic_asm", "__requirePrelude", "__target_intrinsic",
                                      "spirv_asm", "__extern_cpp"};

/// As the preprocessor sees it: a backslash at the end of a line joins it with the next one. Lines
/// end with either of two characters, or with both in either order.
std::string joined_lines(std::string_view shader) {
    const auto ends_line = [](char c) { return c == '\n' || c == '\r'; };
    std::string text;
    for (std::size_t i = 0; i < shader.size(); ++i) {
        if (shader[i] != '\\' || i + 1 == shader.size() || !ends_line(shader[i + 1])) {
            text += shader[i];
            continue;
        }
        ++i;
        if (i + 1 < shader.size() && ends_line(shader[i + 1]) && shader[i + 1] != shader[i])
            ++i;
    }
    return text;
}

/// Whether a `#line` directive gives more than a number and a plain file name. slangc takes escapes
/// in the name and writes them out as they are, so that one can end its line and begin another.
bool has_odd_line_directive(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\f\v";
    const auto skip = [&](std::string_view& rest, std::string_view what) {
        rest.remove_prefix(std::min(rest.find_first_not_of(what), rest.size()));
    };
    for (std::size_t at = 0; (at = text.find('#', at)) != std::string_view::npos; ++at) {
        std::string_view rest = text.substr(at + 1, text.find('\n', at) - at - 1);
        skip(rest, blanks);
        if (!rest.starts_with("line"))
            continue;
        rest.remove_prefix(4);
        skip(rest, blanks);
        skip(rest, "0123456789");
        skip(rest, blanks);
        if (rest.starts_with('"')) {
            rest.remove_prefix(1);
            rest.remove_prefix(std::min(rest.find_first_of("\"\\"), rest.size()));
            if (!rest.starts_with('"'))
                return true;
            rest.remove_prefix(1);
            skip(rest, blanks);
        }
        if (!rest.empty() && !rest.starts_with("//") && !rest.starts_with("/*"))
            return true;
    }
    return false;
}

/// Everything that `##` could paste: names, keywords, numbers.
std::set<std::string_view> tokens(std::string_view text) {
    std::set<std::string_view> result;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = begin;
        while (end < text.size() && is_name(text[end]))
            ++end;
        if (end > begin)
            result.insert(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return result;
}

bool can_be_pasted(std::string_view word, const std::set<std::string_view>& pieces) {
    return word.empty() || std::any_of(pieces.begin(), pieces.end(), [&](std::string_view piece) {
               return word.starts_with(piece) && can_be_pasted(word.substr(piece.size()), pieces);
           });
}

/// Whether one of the words stands in the text or could be made from pieces of it.
bool holds_word(const std::string& text, std::string_view word) {
    if (text.find(word) != std::string::npos)
        return true;
    return text.find("##") != std::string::npos && can_be_pasted(word, tokens(text));
}

} // namespace

bool holds_target_code(std::string_view shader) {
    if (shader.find('\0') != std::string_view::npos) // no source: a module that was compiled before
        return true;
    const std::string text = joined_lines(shader);
    return has_odd_line_directive(text) ||
           std::any_of(std::begin(words), std::end(words),
                       [&](std::string_view word) { return holds_word(text, word); });
}

bool may_include_files(std::string_view shader) {
    const std::string text = joined_lines(shader);
    return has_odd_line_directive(text) || holds_word(text, "__requirePrelude") ||
           shader.find('\0') != std::string_view::npos ||
           (holds_target_code(shader) && text.find("\\n#") != std::string::npos);
}

} // namespace slimgrad
