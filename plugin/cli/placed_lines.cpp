#include "plugin/cli/placed_lines.h"

#include "plugin/cli/display.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace slimgrad {

std::string PlacedLines::shown(const Place& place) const {
    return printable(to_string(display_place(place, directory_)));
}

void PlacedLines::add(const Place& place, int depth, std::string_view words) {
    const std::string text = shown(place);
    lines_.push_back({text.empty() ? "" : text + ':', printable(words), depth});
}

std::string PlacedLines::take() {
    std::size_t width = 0;
    for (const Line& line : lines_)
        width = std::max(width, line.place.size());
    std::string text;
    for (const Line& line : lines_)
        fmt::format_to(std::back_inserter(text), "{:<{}} {:{}}{}\n", line.place, width, "",
                       line.depth * 2, line.words);
    lines_.clear();
    return text;
}

} // namespace slimgrad
