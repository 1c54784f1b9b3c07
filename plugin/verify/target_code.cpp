#include "plugin/verify/verify.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace slimgrad {
namespace {

constexpr std::string_view words[] = {"__intrinsic_asm", "__requirePrelude", "__target_intrinsic",
                                      "spirv_asm", "__extern_cpp"};

/// As the preprocessor sees it: a backslash at the end of a line joins it with the next one.
std::string joined_lines(std::string_view shader) {
    std::string text;
    for (std::size_t i = 0; i < shader.size(); ++i) {
        const std::string_view rest = shader.substr(i);
        const std::size_t splice = rest.starts_with("\\\n")     ? 2
                                   : rest.starts_with("\\\r\n") ? 3
                                                                : 0;
        if (splice != 0)
            i += splice - 1;
        else
            text += shader[i];
    }
    return text;
}

/// Everything that `##` could paste: names, keywords, numbers.
std::set<std::string_view> tokens(std::string_view text) {
    const auto is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    std::set<std::string_view> result;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = begin;
        while (end < text.size() && is_word(text[end]))
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

} // namespace

bool holds_target_code(std::string_view shader) {
    if (shader.find('\0') != std::string_view::npos) // no source: a module that was compiled before
        return true;
    const std::string text = joined_lines(shader);
    const std::set<std::string_view> pieces =
        text.find("##") == std::string::npos ? std::set<std::string_view>{} : tokens(text);
    return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
        return text.find(word) != std::string::npos || can_be_pasted(word, pieces);
    });
}

} // namespace slimgrad
