#pragma once

#include "rewriter/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// Half-open range of byte offsets into one file's text.
struct ByteRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    bool contains(std::uint32_t offset) const { return begin <= offset && offset < end; }
    bool contains(ByteRange other) const { return begin <= other.begin && other.end <= end; }
    bool empty() const { return begin == end; }
    friend bool operator==(const ByteRange&, const ByteRange&) = default;
    friend auto operator<=>(const ByteRange&, const ByteRange&) = default;
};

/// One file's bytes as they are on disk (BOM, CRLF and all), with a line index.
/// Lines are those of slangc's diagnostics: LF, CR and both together end one. Columns count bytes
/// (slangc's count characters: the Slang plugin converts them), without a leading UTF-8 BOM.
class SourceFile {
  public:
    SourceFile(std::string path, std::string text);

    const std::string& path() const { return path_; }
    const std::string& text() const { return text_; }
    std::string_view slice(ByteRange range) const;

    /// Line and column of a byte offset; an offset past the end gives the end.
    Place place(std::uint32_t offset) const;
    /// Byte offset of a line and column counted from 1; positions outside the text are clamped to
    /// it.
    std::uint32_t offset(std::uint32_t line, std::uint32_t column) const;
    /// Offset of the first byte of the line that holds `offset`; in the first line that is the one
    /// after a BOM.
    std::uint32_t line_start(std::uint32_t offset) const;
    /// "\r\n" where the file's first line ends with it, else "\n".
    std::string_view line_ending() const;

  private:
    std::size_t line_index(std::uint32_t offset) const;

    std::string path_;
    std::string text_;
    std::vector<std::uint32_t> line_starts_;
};

} // namespace slimgrad
