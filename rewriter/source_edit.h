#pragma once

#include "rewriter/result.h"
#include "rewriter/source_file.h"

#include <map>
#include <string>
#include <vector>

namespace slimgrad {

/// Replaces the bytes of `range` in the file `path` by `text`; an empty range is an insertion.
struct SourceEdit {
    std::string path;
    ByteRange range;
    std::string text;

    friend bool operator==(const SourceEdit&, const SourceEdit&) = default;
    friend auto operator<=>(const SourceEdit&, const SourceEdit&) = default;
};

/// Texts by path. The paths are canonical: two names of one file are one key.
using FileTexts = std::map<std::string, std::string>;

/// Applies `edits` to `texts` and returns the changed files only.
/// Equal edits are applied once. Two insertions at one offset keep their order in `edits`.
/// Error: an edit of a file that is not in `texts`, a range outside the text, two edits that
/// overlap. Example: text "float f();", edit {[0,0), "[Differentiable] "} gives "[Differentiable]
/// float f();".
Result<FileTexts> apply_edits(const FileTexts& texts, const std::vector<SourceEdit>& edits);

/// Whether the two edits touch the same bytes of one file (equal edits do not overlap).
bool overlap(const SourceEdit& a, const SourceEdit& b);

/// An edit that puts `line` on a line of its own above the line that holds `offset`, with that
/// line's indentation and the file's line ending. If something other than white space stands before
/// `offset` on its line, `line` and a space are inserted at `offset` itself.
SourceEdit insert_line_above(const SourceFile& file, std::uint32_t offset, std::string_view line);

} // namespace slimgrad
