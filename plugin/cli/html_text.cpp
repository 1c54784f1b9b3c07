#include "plugin/cli/html_text.h"

#include <cstdint>
#include <fmt/format.h>
#include <iterator>

namespace slimgrad {
namespace {

struct Character {
    std::uint32_t code = 0xfffd;
    std::size_t bytes = 1;
    bool valid = false;
};

std::size_t length_by_first(unsigned char first) {
    return first < 0x80   ? 1
           : first < 0xc2 ? 0
           : first < 0xe0 ? 2
           : first < 0xf0 ? 3
           : first < 0xf5 ? 4
                          : 0;
}

/// The character at the beginning of the text; one byte of what is no UTF-8.
Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t length = length_by_first(byte(0));
    if (length == 0 || length > text.size())
        return {};
    constexpr std::uint32_t masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    std::uint32_t code = byte(0) & masks[length];
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return {};
        code = code << 6 | (byte(i) & 0x3f);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    if (code < smallest[length] || code > 0x10ffff || surrogate)
        return {};
    return {code, length, true};
}

bool is_hidden(std::uint32_t code) {
    const bool control =
        (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7f && code < 0xa0);
    const bool turns = code == 0x061c || code == 0x200e || code == 0x200f ||
                       (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return control || turns || code == 0x2028 || code == 0x2029 || code == 0xfeff;
}

std::string_view entity(std::uint32_t code) {
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return {};
    }
}

} // namespace

std::string html_escaped(std::string_view text) {
    std::string escaped;
    escaped.reserve(text.size() + text.size() / 8);
    while (!text.empty()) {
        const Character character = first_character(text);
        if (!character.valid)
            escaped += "\xef\xbf\xbd";
        else if (is_hidden(character.code))
            fmt::format_to(std::back_inserter(escaped), "\\u{{{:x}}}", character.code);
        else if (const std::string_view name = entity(character.code); !name.empty())
            escaped += name;
        else
            escaped += text.substr(0, character.bytes);
        text.remove_prefix(character.bytes);
    }
    return escaped;
}

} // namespace slimgrad
