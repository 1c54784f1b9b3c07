#include "rewriter/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace slimgrad {

namespace {

using Ids = std::vector<std::uint32_t>;

/// Steps after which a search for the shortest edit script settles for a good one.
constexpr std::ptrdiff_t search_limit = 256;

/// A point of the edit graph: the first x old lines have been turned into the first y new lines.
struct Point {
    std::ptrdiff_t x = 0;
    std::ptrdiff_t y = 0;
};

/// The old lines [from.x, to.x) against the new lines [from.y, to.y).
struct Box {
    Point from, to;
};

/// The furthest x reached on each diagonal x - y, seen from one corner of a box; -1 where there is
/// no path.
class Frontier {
  public:
    explicit Frontier(std::ptrdiff_t steps) : middle_(steps + 1), x_(2 * steps + 3, -1) {
        at(0) = 0;
    }
    std::ptrdiff_t& at(std::ptrdiff_t diagonal) { return x_[middle_ + diagonal]; }

    /// Where one more deletion or insertion leads to on this diagonal of a box of `width` by
    /// `height`, or -1.
    std::ptrdiff_t step(std::ptrdiff_t diagonal, Point size) {
        const std::ptrdiff_t left = at(diagonal - 1), above = at(diagonal + 1);
        const std::ptrdiff_t deletion = left >= 0 && left < size.x ? left + 1 : -1;
        const std::ptrdiff_t insertion = above >= 0 && above - diagonal <= size.y ? above : -1;
        return std::max(deletion, insertion);
    }

  private:
    std::ptrdiff_t middle_;
    std::vector<std::ptrdiff_t> x_;
};

/// A point on a shortest path through the box, found by searching from both corners until the two
/// searches meet; where that takes too long, the best point the forward search has reached. The
/// box's first lines differ, and its last ones.
Point split_point(const Ids& before, const Ids& after, const Box& box) {
    const Point size{box.to.x - box.from.x, box.to.y - box.from.y};
    const std::ptrdiff_t delta = size.x - size.y; // the diagonal of the far corner
    const std::ptrdiff_t steps = std::min(search_limit, (size.x + size.y + 1) / 2);
    Frontier forward(steps), backward(steps);
    for (std::ptrdiff_t step = 1; step <= steps; ++step) {
        for (std::ptrdiff_t k = -step; k <= step; k += 2) {
            std::ptrdiff_t x = forward.step(k, size);
            if (x >= 0)
                while (x < size.x && x - k < size.y &&
                       before[box.from.x + x] == after[box.from.y + x - k])
                    ++x;
            forward.at(k) = x;
            const std::ptrdiff_t opposite = delta - k;
            if (delta % 2 != 0 && x >= 0 && std::abs(opposite) < step &&
                backward.at(opposite) >= 0 && x + backward.at(opposite) >= size.x)
                return {box.from.x + x, box.from.y + x - k};
        }
        for (std::ptrdiff_t k = -step; k <= step; k += 2) {
            std::ptrdiff_t x = backward.step(k, size);
            if (x >= 0)
                while (x < size.x && x - k < size.y &&
                       before[box.to.x - 1 - x] == after[box.to.y - 1 - (x - k)])
                    ++x;
            backward.at(k) = x;
            const std::ptrdiff_t opposite = delta - k;
            if (delta % 2 == 0 && x >= 0 && std::abs(opposite) <= step &&
                forward.at(opposite) >= 0 && x + forward.at(opposite) >= size.x)
                return {box.to.x - x, box.to.y - (x - k)};
        }
    }
    Point best;
    for (std::ptrdiff_t k = -steps; k <= steps; k += 2) {
        const std::ptrdiff_t x = forward.at(k);
        if (x >= 0 && x + x - k > best.x + best.y)
            best = {x, x - k};
    }
    return {box.from.x + best.x, box.from.y + best.y};
}

/// Which lines of each side have no partner on the other.
struct Marks {
    std::vector<bool> before, after;
};

/// Compares the lines that `before_lines` and `after_lines` point to and marks those without a
/// partner.
void mark_changes(const Ids& before, const Ids& after, const std::vector<std::size_t>& before_lines,
                  const std::vector<std::size_t>& after_lines, Marks& marks) {
    std::vector<Box> boxes{
        {{0, 0},
         {static_cast<std::ptrdiff_t>(before.size()), static_cast<std::ptrdiff_t>(after.size())}}};
    while (!boxes.empty()) {
        auto [from, to] = boxes.back();
        boxes.pop_back();
        while (from.x < to.x && from.y < to.y && before[from.x] == after[from.y])
            ++from.x, ++from.y;
        while (from.x < to.x && from.y < to.y && before[to.x - 1] == after[to.y - 1])
            --to.x, --to.y;
        if (from.x < to.x && from.y < to.y) {
            const Point middle = split_point(before, after, {from, to});
            boxes.push_back({from, middle});
            boxes.push_back({middle, to});
            continue;
        }
        for (std::ptrdiff_t x = from.x; x < to.x; ++x)
            marks.before[before_lines[x]] = true;
        for (std::ptrdiff_t y = from.y; y < to.y; ++y)
            marks.after[after_lines[y]] = true;
    }
}

/// Marks the lines that do not occur on the other side at all and returns the places of the others:
/// most of a big change is settled here, and the search sees only lines that may have a partner.
std::vector<std::size_t> mark_unique(const Ids& ids, const std::vector<bool>& elsewhere,
                                     std::vector<bool>& marks) {
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        marks[i] = !elsewhere[ids[i]];
        if (!marks[i])
            candidates.push_back(i);
    }
    return candidates;
}

Ids select(const Ids& ids, const std::vector<std::size_t>& lines) {
    Ids result(lines.size());
    std::transform(lines.begin(), lines.end(), result.begin(), [&](auto i) { return ids[i]; });
    return result;
}

std::vector<LineChange> collect(const Marks& marks) {
    std::vector<LineChange> changes;
    std::size_t x = 0, y = 0;
    while (x < marks.before.size() || y < marks.after.size()) {
        LineChange change{x, x, y, y};
        while (change.old_end < marks.before.size() && marks.before[change.old_end])
            ++change.old_end;
        while (change.new_end < marks.after.size() && marks.after[change.new_end])
            ++change.new_end;
        x = change.old_end, y = change.new_end;
        if (change.old_begin != x || change.new_begin != y)
            changes.push_back(change);
        else
            ++x, ++y; // an equal line on both sides
    }
    return changes;
}

} // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

std::vector<LineChange> diff_lines(const std::vector<std::string_view>& before,
                                   const std::vector<std::string_view>& after) {
    // Equal lines get equal numbers, so that the search compares integers.
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    const auto number = [&](const std::vector<std::string_view>& lines) {
        Ids ids;
        for (std::string_view line : lines)
            ids.push_back(numbers.emplace(line, numbers.size()).first->second);
        return ids;
    };
    const Ids before_ids = number(before), after_ids = number(after);
    std::vector<bool> in_before(numbers.size()), in_after(numbers.size());
    for (std::uint32_t id : before_ids)
        in_before[id] = true;
    for (std::uint32_t id : after_ids)
        in_after[id] = true;

    Marks marks{std::vector<bool>(before.size()), std::vector<bool>(after.size())};
    const auto before_lines = mark_unique(before_ids, in_after, marks.before);
    const auto after_lines = mark_unique(after_ids, in_before, marks.after);
    mark_changes(select(before_ids, before_lines), select(after_ids, after_lines), before_lines,
                 after_lines, marks);
    return collect(marks);
}

} // namespace slimgrad
