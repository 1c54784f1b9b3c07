#include "rewriter/unified_diff.h"

#include "rewriter/line_diff.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace slimgrad {

namespace {

constexpr std::size_t context_lines = 3;

/// How far down a change may be moved beyond the place where the texts are first equal again.
constexpr std::size_t slide_lines = 100;

/// What has to be compared of two texts: whole lines behind a common head, down to some lines into
/// a common tail. Large texts with few changes are never split into lines as a whole.
struct Window {
    std::string_view before, after;
    std::string_view lead, trail; ///< the lines of context around it, the same in both texts
    std::size_t first_line = 0;   ///< lines before `lead`
};

std::size_t next_line(std::string_view text, std::size_t position) {
    const std::size_t end = text.find('\n', position);
    return end == std::string_view::npos ? text.size() : end + 1;
}

bool is_line_start(std::string_view text, std::size_t position) {
    return position == 0 || text[position - 1] == '\n';
}

Window find_window(std::string_view before, std::string_view after) {
    std::size_t head =
        std::mismatch(before.begin(), before.end(), after.begin(), after.end()).first -
        before.begin();
    while (!is_line_start(before, head))
        --head;
    std::size_t tail =
        std::mismatch(before.rbegin(), before.rend() - head, after.rbegin(), after.rend() - head)
            .first -
        before.rbegin();
    if (!is_line_start(before, before.size() - tail) || !is_line_start(after, after.size() - tail))
        tail = before.size() - next_line(before, before.size() - tail);

    std::size_t begin = head;
    for (std::size_t line = 0; line < context_lines && begin > 0; ++line)
        do
            --begin;
        while (!is_line_start(before, begin));
    std::size_t middle_end = before.size() - tail;
    for (std::size_t line = 0; line < slide_lines; ++line)
        middle_end = next_line(before, middle_end);
    std::size_t end = middle_end;
    for (std::size_t line = 0; line < context_lines; ++line)
        end = next_line(before, end);
    const std::size_t after_end = after.size() - (before.size() - middle_end);
    return {before.substr(head, middle_end - head), after.substr(head, after_end - head),
            before.substr(begin, head - begin), before.substr(middle_end, end - middle_end),
            static_cast<std::size_t>(std::count(before.begin(), before.begin() + begin, '\n'))};
}

/// Moves a pure insertion or deletion down as far as its lines repeat, so that what is added after
/// a function shows as a whole function and not as the tail of one and the head of the next.
void slide_down(std::vector<LineChange>& changes, const std::vector<std::string_view>& before,
                const std::vector<std::string_view>& after) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
        LineChange& change = changes[i];
        const bool insertion = change.old_begin == change.old_end;
        if (!insertion && change.new_begin != change.new_end)
            continue;
        const auto& lines = insertion ? after : before;
        std::size_t begin = insertion ? change.new_begin : change.old_begin;
        std::size_t end = insertion ? change.new_end : change.old_end;
        // One equal line stays between this change and the next.
        const std::size_t room = i + 1 < changes.size()
                                     ? changes[i + 1].old_begin - change.old_end - 1
                                     : before.size() - change.old_end;
        for (std::size_t moved = 0; moved < room && lines[begin] == lines[end]; ++moved) {
            ++begin, ++end;
            ++change.old_begin, ++change.old_end, ++change.new_begin, ++change.new_end;
        }
    }
}

/// The lines of a window with its context around them.
std::vector<std::string_view> with_context(const std::vector<std::string_view>& lines,
                                           const Window& window) {
    std::vector<std::string_view> result = split_lines(window.lead);
    result.insert(result.end(), lines.begin(), lines.end());
    for (std::string_view line : split_lines(window.trail))
        result.push_back(line);
    return result;
}

void append_lines(std::string& diff, char mark, const std::vector<std::string_view>& lines,
                  std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        diff.append(1, mark).append(lines[i]);
        if (!lines[i].ends_with('\n'))
            diff.append("\n\\ No newline at end of file\n");
    }
}

/// "12,3": the first line counted from 1 and the number of lines. Of no lines, the line before them
/// is given.
std::string line_range(std::size_t begin, std::size_t count) {
    const std::size_t first = count == 0 ? begin : begin + 1;
    return count == 1 ? fmt::format("{}", first) : fmt::format("{},{}", first, count);
}

/// One hunk: the changes [first, last), which are so close that their lines of context touch.
void append_hunk(std::string& diff, const LineChange* first, const LineChange* last,
                 std::size_t first_line, const std::vector<std::string_view>& before,
                 const std::vector<std::string_view>& after) {
    const std::size_t lead = std::min(context_lines, first->old_begin);
    const LineChange& final = last[-1];
    const std::size_t trail = std::min(context_lines, before.size() - final.old_end);
    const std::size_t old_begin = first->old_begin - lead, old_end = final.old_end + trail;
    const std::size_t new_begin = first->new_begin - lead, new_end = final.new_end + trail;
    fmt::format_to(std::back_inserter(diff), "@@ -{} +{} @@\n",
                   line_range(first_line + old_begin, old_end - old_begin),
                   line_range(first_line + new_begin, new_end - new_begin));
    std::size_t position = old_begin;
    for (; first != last; ++first) {
        append_lines(diff, ' ', before, position, first->old_begin);
        append_lines(diff, '-', before, first->old_begin, first->old_end);
        append_lines(diff, '+', after, first->new_begin, first->new_end);
        position = first->old_end;
    }
    append_lines(diff, ' ', before, position, old_end);
}

/// `a/path` as git writes it: quoted where a byte would end the name early, with a tab behind a
/// name that has a space.
std::string file_name(std::string_view side, std::string_view path) {
    path.remove_prefix(std::min(path.size(), path.find_first_not_of('/')));
    std::string name(side);
    bool quoted = false;
    for (char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            name += '\\', name += c;
        else if (byte < 0x20 || byte == 0x7F)
            name += fmt::format("\\{:03o}", byte);
        else {
            name += c;
            continue;
        }
        quoted = true;
    }
    if (quoted)
        name = '"' + name + '"';
    return path.find(' ') == std::string_view::npos ? name : name + '\t';
}

} // namespace

std::string unified_diff(std::string_view path, std::string_view before, std::string_view after) {
    if (before == after)
        return {};
    const Window window = find_window(before, after);
    std::vector<std::string_view> old_lines = split_lines(window.before);
    std::vector<std::string_view> new_lines = split_lines(window.after);
    std::vector<LineChange> changes = diff_lines(old_lines, new_lines);
    slide_down(changes, old_lines, new_lines);
    old_lines = with_context(old_lines, window);
    new_lines = with_context(new_lines, window);
    const std::size_t lead = split_lines(window.lead).size();
    for (LineChange& change : changes)
        change = {change.old_begin + lead, change.old_end + lead, change.new_begin + lead,
                  change.new_end + lead};

    std::string diff =
        fmt::format("--- {}\n+++ {}\n", file_name("a/", path), file_name("b/", path));
    for (auto first = changes.begin(); first != changes.end();) {
        auto last = std::next(first);
        while (last != changes.end() &&
               last->old_begin - std::prev(last)->old_end <= 2 * context_lines)
            ++last;
        append_hunk(diff, &*first, &*first + (last - first), window.first_line, old_lines,
                    new_lines);
        first = last;
    }
    return diff;
}

} // namespace slimgrad
