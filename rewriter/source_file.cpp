#include "rewriter/source_file.h"

#include <algorithm>
#include <utility>

namespace slimgrad {

namespace {

constexpr std::string_view bom = "\xEF\xBB\xBF";

bool is_line_break(char c) {
    return c == '\n' || c == '\r';
}

/// Bytes of the code point that starts at the front of `text`: 1 for what is not valid UTF-8.
std::size_t code_point_size(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (size > text.size())
        return 1;
    for (std::size_t i = 1; i < size; ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80)
            return 1;
    return size;
}

} // namespace

SourceFile::SourceFile(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {
    line_starts_.push_back(text_.starts_with(bom) ? bom.size() : 0);
    for (std::size_t i = 0; i < text_.size(); ++i) {
        if (!is_line_break(text_[i]))
            continue;
        // As in slangc, CR LF and LF CR are one break, CR CR and LF LF are two.
        if (i + 1 < text_.size() && is_line_break(text_[i + 1]) && text_[i + 1] != text_[i])
            ++i;
        line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
    }
}

std::string_view SourceFile::slice(ByteRange range) const {
    const auto size = static_cast<std::uint32_t>(text_.size());
    const std::uint32_t begin = std::min(range.begin, size);
    const std::uint32_t end = std::clamp(range.end, begin, size);
    return std::string_view(text_).substr(begin, end - begin);
}

std::size_t SourceFile::line_index(std::uint32_t offset) const {
    const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    return next == line_starts_.begin() ? 0 : next - line_starts_.begin() - 1; // inside the BOM
}

Place SourceFile::place(std::uint32_t offset) const {
    offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
    const std::size_t line = line_index(offset);
    std::string_view before = slice({line_starts_[line], offset});
    std::uint32_t column = 1;
    for (; !before.empty(); ++column)
        before.remove_prefix(code_point_size(before));
    return {path_, static_cast<std::uint32_t>(line + 1), column};
}

std::uint32_t SourceFile::offset(std::uint32_t line, std::uint32_t column) const {
    const auto size = static_cast<std::uint32_t>(text_.size());
    if (line == 0)
        return line_starts_.front();
    if (line > line_starts_.size())
        return size;
    const std::uint32_t begin = line_starts_[line - 1];
    std::string_view rest = slice({begin, line < line_starts_.size() ? line_starts_[line] : size});
    while (!rest.empty() && is_line_break(rest.back()))
        rest.remove_suffix(1); // a column past the end of a line is clamped to that line's end
    std::uint32_t result = begin;
    for (; column > 1 && !rest.empty(); --column) {
        const std::size_t bytes = code_point_size(rest);
        rest.remove_prefix(bytes);
        result += static_cast<std::uint32_t>(bytes);
    }
    return result;
}

std::uint32_t SourceFile::line_start(std::uint32_t offset) const {
    return line_starts_[line_index(offset)];
}

std::string_view SourceFile::line_ending() const {
    const std::size_t end = text_.find('\n');
    return end != std::string::npos && end > 0 && text_[end - 1] == '\r' ? "\r\n" : "\n";
}

} // namespace slimgrad
