#pragma once

#include "rewriter/source_file.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// A text as slangc's lexer sees it: a `\` right before a line's end is gone with that end, also
/// within a name, a comment or what a conditional leaves out. Other lines all end with LF, where
/// the text has CR LF still with both. Knows where each byte stands in the text itself.
class SplicedText {
  public:
    explicit SplicedText(std::string_view text);

    const std::string& text() const { return text_; }
    /// In the text itself: from the range's first byte to the byte that follows its last one.
    ByteRange in_file(std::size_t begin, std::size_t end) const {
        return {offset(begin), offset(end)};
    }
    /// The first byte that stands at or behind this offset in the text itself.
    std::size_t from_file(std::uint32_t offset) const;

  private:
    std::uint32_t offset(std::size_t at) const {
        return offsets_.empty() ? std::uint32_t(at) : offsets_[at];
    }

    std::string text_;
    std::vector<std::uint32_t> offsets_; ///< of each byte and of the end; empty: nothing is spliced
};

/// Length of the `\` and the line's end that `text` has at `at`: 2 or 3, 0 if it has none there.
std::size_t splice_length(std::string_view text, std::size_t at);

/// "Max\<LF>Iters" -> "MaxIters".
std::string without_splices(std::string_view text);

} // namespace slimgrad
