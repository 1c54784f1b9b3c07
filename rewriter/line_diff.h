#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace slimgrad {

/// Lines [old_begin, old_end) become lines [new_begin, new_end), counted from 0.
struct LineChange {
    std::size_t old_begin = 0;
    std::size_t old_end = 0;
    std::size_t new_begin = 0;
    std::size_t new_end = 0;

    friend bool operator==(const LineChange&, const LineChange&) = default;
};

/// The lines of `text`, each with its '\n'; the last one may have none.
std::vector<std::string_view> split_lines(std::string_view text);

/// The changes that make `after` out of `before`, in order, at least one equal line between two of
/// them. As few lines as possible (Myers' algorithm in linear space), except where more than some
/// hundred lines in a row differ: there the search is cut short, so that the time stays near linear
/// in the number of lines.
std::vector<LineChange> diff_lines(const std::vector<std::string_view>& before,
                                   const std::vector<std::string_view>& after);

} // namespace slimgrad
