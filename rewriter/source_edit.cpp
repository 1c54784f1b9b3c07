#include "rewriter/source_edit.h"

#include <algorithm>
#include <fmt/core.h>
#include <set>

namespace slimgrad {

namespace {

/// The edits of one file without repetitions, by position; an insertion comes before what replaces
/// the bytes behind it.
std::vector<const SourceEdit*> ordered_edits(const std::vector<SourceEdit>& edits,
                                             const std::string& path) {
    std::vector<const SourceEdit*> ordered;
    std::set<SourceEdit> seen;
    for (const SourceEdit& edit : edits)
        if (edit.path == path && seen.insert(edit).second)
            ordered.push_back(&edit);
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto* a, const auto* b) { return a->range < b->range; });
    return ordered;
}

Result<std::string> apply_to_file(const std::string& path, const std::string& text,
                                  const std::vector<const SourceEdit*>& edits) {
    std::string result;
    std::uint32_t position = 0; // everything before it is in `result`
    for (const SourceEdit* edit : edits) {
        const auto [begin, end] = edit->range;
        if (begin > end || end > text.size())
            return fail(fmt::format("edit of bytes {} to {} is outside the file ({} bytes)", begin,
                                    end, text.size()),
                        {path});
        if (begin < position)
            return fail("two edits overlap here", SourceFile(path, text).place(begin));
        result.append(text, position, begin - position).append(edit->text);
        position = end;
    }
    return result.append(text, position);
}

} // namespace

Result<FileTexts> apply_edits(const FileTexts& texts, const std::vector<SourceEdit>& edits) {
    std::set<std::string> paths;
    for (const SourceEdit& edit : edits)
        paths.insert(edit.path);
    FileTexts changed;
    for (const std::string& path : paths) {
        const auto file = texts.find(path);
        if (file == texts.end())
            return fail("edit of a file that was not read", {path});
        Result<std::string> text = apply_to_file(path, file->second, ordered_edits(edits, path));
        if (!text)
            return tl::unexpected(std::move(text.error()));
        if (*text != file->second)
            changed.emplace(path, std::move(*text));
    }
    return changed;
}

bool overlap(const SourceEdit& a, const SourceEdit& b) {
    // An insertion overlaps only what replaces bytes on both of its sides.
    return a.path == b.path && a != b && a.range.begin < b.range.end && b.range.begin < a.range.end;
}

SourceEdit insert_line_above(const SourceFile& file, std::uint32_t offset, std::string_view line) {
    offset = std::min(offset, static_cast<std::uint32_t>(file.text().size()));
    const std::uint32_t start = file.line_start(offset);
    const std::string_view before = file.slice({start, offset});
    if (before.find_first_not_of(" \t\v\f") != std::string_view::npos)
        return {file.path(), {offset, offset}, std::string(line) + ' '};
    const std::string_view rest = std::string_view(file.text()).substr(start);
    const std::string_view indentation =
        rest.substr(0, std::min(rest.size(), rest.find_first_not_of(" \t\v\f")));
    std::string text(indentation);
    text.append(line).append(file.line_ending());
    return {file.path(), {start, start}, std::move(text)};
}

} // namespace slimgrad
