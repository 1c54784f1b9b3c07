#include "tests/fuzz/front_end/property.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad::front_end {

namespace {

/// Bytes of the well-formed UTF-8 character that begins at `at`; 1 for a byte that begins none.
std::uint32_t character_length(std::string_view text, std::size_t at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::uint32_t length = lead >= 0xF0   ? 4
                                 : lead >= 0xE0 ? 3
                                 : lead >= 0xC2 ? 2
                                                : 1;
    if (lead > 0xF4 || at + length > text.size())
        return 1;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    for (std::uint32_t i = 1; i < length; ++i) {
        if (byte(i) < 0x80 || byte(i) > 0xBF)
            return 1;
    }
    const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool surrogate = lead == 0xED && byte(1) > 0x9F;
    const bool too_large = lead == 0xF4 && byte(1) > 0x8F;
    return overlong || surrogate || too_large ? 1 : length;
}

} // namespace

bool splits_character(std::string_view text, std::uint32_t offset) {
    if (offset == 0 || offset >= text.size())
        return false;
    if (text[offset - 1] == '\r' && text[offset] == '\n')
        return true;
    for (std::uint32_t back = 1; back <= std::min(offset, 3u); ++back) {
        if (character_length(text, offset - back) > back)
            return true;
    }
    return false;
}

void check_positions(const SourceFile& file) {
    const std::string& text = file.text();
    const auto size = std::uint32_t(text.size());
    const std::uint32_t bom = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    const auto is_break = [&](std::uint32_t i) { return text[i] == '\r' || text[i] == '\n'; };
    Place last{file.path(), 1, 1};
    bool second_of_break = false; // CR LF and LF CR are one line break
    for (std::uint32_t offset = bom; offset <= size; ++offset) {
        const Place place = file.place(offset);
        const auto wrong = [&] {
            return fmt::format("{}: byte {} is at {}:{}, and {}:{} is byte {}", file.path(), offset,
                               place.line, place.column, place.line, place.column,
                               file.offset(place.line, place.column));
        };
        require(!(place < last), [&] {
            return fmt::format("{}: byte {} is at {}:{}, before its predecessor", file.path(),
                               offset, place.line, place.column);
        });
        last = place;
        require(file.offset(place.line, place.column) == offset - second_of_break, wrong);
        const std::uint32_t start = file.line_start(offset);
        require(start <= offset && file.place(start) == Place{file.path(), place.line, 1}, wrong);
        second_of_break = offset < size && is_break(offset) && !second_of_break &&
                          offset + 1 < size && is_break(offset + 1) &&
                          text[offset] != text[offset + 1];
    }
}

} // namespace slimgrad::front_end
