#include "rewriter/source_file.h"

#include <algorithm>
#include <utility>

namespace slimgrad {

namespace {

constexpr std::string_view bom = "\xEF\xBB\xBF";

bool is_line_break(char c) {
    return c == '\n' || c == '\r';
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
    const std::uint32_t start = std::min(line_starts_[line], offset); // `offset` may be in the BOM
    return {path_, static_cast<std::uint32_t>(line + 1), offset - start + 1};
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
    const auto length = static_cast<std::uint32_t>(rest.size());
    return begin + std::min(std::max(column, 1u) - 1, length);
}

std::uint32_t SourceFile::line_start(std::uint32_t offset) const {
    return line_starts_[line_index(offset)];
}

std::string_view SourceFile::line_ending() const {
    const std::size_t end = text_.find('\n');
    return end != std::string::npos && end > 0 && text_[end - 1] == '\r' ? "\r\n" : "\n";
}

} // namespace slimgrad
