#include "rewriter/line_diff.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <random>
#include <string>

using slimgrad::diff_lines;
using slimgrad::LineChange;
using slimgrad::split_lines;

namespace {

using Lines = std::vector<std::string_view>;

/// One line per letter.
Lines letters(std::string_view text) {
    Lines lines;
    for (std::size_t i = 0; i < text.size(); ++i)
        lines.push_back(text.substr(i, 1));
    return lines;
}

std::size_t changed_lines(const std::vector<LineChange>& changes) {
    std::size_t count = 0;
    for (const LineChange& c : changes)
        count += c.old_end - c.old_begin + c.new_end - c.new_begin;
    return count;
}

/// Whether the lines outside the changes are the same on both sides.
bool is_valid(const std::vector<LineChange>& changes, const Lines& before, const Lines& after) {
    std::size_t x = 0, y = 0;
    for (const LineChange& c : changes) {
        while (x < c.old_begin && y < c.new_begin)
            if (before[x++] != after[y++])
                return false;
        if (x != c.old_begin || y != c.new_begin || c.old_end < x || c.new_end < y)
            return false;
        x = c.old_end, y = c.new_end;
    }
    return Lines(before.begin() + x, before.end()) == Lines(after.begin() + y, after.end());
}

/// Insertions and deletions of a shortest edit script, from the textbook's table.
std::size_t edit_distance(const Lines& a, const Lines& b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = a[i - 1] == b[j - 1] ? diagonal : std::min(above, row[j - 1]) + 1;
            diagonal = above;
        }
    }
    return row[b.size()];
}

} // namespace

TEST_CASE("line_diff: lines keep their ends") {
    CHECK(split_lines("").empty());
    CHECK(split_lines("a") == Lines{"a"});
    CHECK(split_lines("a\r\n\nb") == Lines{"a\r\n", "\n", "b"});
    CHECK(split_lines("\n") == Lines{"\n"});
}

TEST_CASE("line_diff: equal, empty, and wholly different texts") {
    CHECK(diff_lines({}, {}).empty());
    CHECK(diff_lines(letters("abc"), letters("abc")).empty());
    CHECK(diff_lines({}, letters("ab")) == std::vector<LineChange>{{0, 0, 0, 2}});
    CHECK(diff_lines(letters("ab"), {}) == std::vector<LineChange>{{0, 2, 0, 0}});
    CHECK(diff_lines(letters("ab"), letters("xyz")) == std::vector<LineChange>{{0, 2, 0, 3}});
}

TEST_CASE("line_diff: changes are apart") {
    CHECK(diff_lines(letters("abcdef"), letters("Xbcdef!")) ==
          std::vector<LineChange>{{0, 1, 0, 1}, {6, 6, 6, 7}});
}

TEST_CASE("line_diff: shortest edit script on random texts") {
    std::mt19937 random(1);
    for (int round = 0; round < 3000; ++round) {
        std::string a(random() % 24, ' '), b(random() % 24, ' ');
        const unsigned alphabet = 1 + random() % 6;
        for (std::string* text : {&a, &b})
            for (char& c : *text)
                c = static_cast<char>('a' + random() % alphabet);
        const Lines before = letters(a), after = letters(b);
        const auto changes = diff_lines(before, after);
        CAPTURE(a);
        CAPTURE(b);
        CHECK(is_valid(changes, before, after));
        CHECK(changed_lines(changes) == edit_distance(before, after));
    }
}

TEST_CASE("line_diff: still valid where the search is cut short") {
    std::mt19937 random(2);
    std::string a(6000, ' '), b(5000, ' ');
    for (std::string* text : {&a, &b})
        for (char& c : *text)
            c = static_cast<char>('a' + random() % 20);
    const Lines before = letters(a), after = letters(b);
    const auto changes = diff_lines(before, after);
    CHECK(is_valid(changes, before, after));
    CHECK(changed_lines(changes) < before.size() + after.size());
}
