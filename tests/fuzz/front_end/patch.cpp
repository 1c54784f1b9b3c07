#include "tests/fuzz/front_end/patch.h"

#include "rewriter/line_diff.h"

#include <cstdio>
#include <vector>

namespace slimgrad::front_end {

namespace {

/// The hunk's first line in the old text, counted from 0, or nothing.
std::optional<std::size_t> old_begin(std::string_view header) {
    unsigned long first = 0, count = 1;
    const std::string text(header);
    if (std::sscanf(text.c_str(), "@@ -%lu,%lu", &first, &count) < 1)
        return std::nullopt;
    return count == 0 ? first : first - 1; // of no lines, the line before them is given
}

} // namespace

std::optional<std::string> apply_patch(std::string_view before, std::string_view diff) {
    if (diff.empty())
        return std::string(before);
    const std::vector<std::string_view> lines = split_lines(before);
    std::vector<std::string_view> rows = split_lines(diff);
    if (rows.size() < 3 || !rows[0].starts_with("--- ") || !rows[1].starts_with("+++ "))
        return std::nullopt;
    std::string result;
    std::size_t at = 0;
    for (std::size_t i = 2; i < rows.size(); ++i) {
        std::string_view row = rows[i];
        if (row.starts_with("@@ ")) {
            const auto begin = old_begin(row);
            if (!begin || *begin < at || *begin > lines.size())
                return std::nullopt;
            while (at < *begin)
                result += lines[at++];
            continue;
        }
        const char mark = row[0];
        row.remove_prefix(1);
        if (i + 1 < rows.size() && rows[i + 1].starts_with("\\ No newline")) {
            row.remove_suffix(1);
            ++i;
        }
        if (mark != '+' && (at >= lines.size() || lines[at++] != row))
            return std::nullopt;
        if (mark != '-')
            result += row;
    }
    while (at < lines.size())
        result += lines[at++];
    return result;
}

} // namespace slimgrad::front_end
