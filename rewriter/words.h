#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

/// The smallest pieces of source text: what a name is, and what is blank around it.
namespace slimgrad {

inline bool is_space(char c) {
    return std::isspace(static_cast<unsigned char>(c));
}

inline bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c));
}

inline bool is_name_start(char c) {
    return c == '_' || std::isalpha(static_cast<unsigned char>(c));
}

inline bool is_name(char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c));
}

/// Whether the whole text is one name.
inline bool is_identifier(std::string_view text) {
    return !text.empty() && !is_digit(text[0]) && std::all_of(text.begin(), text.end(), is_name);
}

/// Whether the name is a word of the text, and not a part of one.
inline bool has_word(std::string_view text, std::string_view name) {
    for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
        const auto end = at + name.size();
        if ((at == 0 || !is_name(text[at - 1])) && (end == text.size() || !is_name(text[end])))
            return true;
    }
    return false;
}

/// Without white space at both ends.
inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_space(text.back()))
        text.remove_suffix(1);
    return text;
}

} // namespace slimgrad
