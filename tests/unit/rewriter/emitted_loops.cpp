#include "tests/unit/rewriter/emitted_loops.h"

#include <cstdlib>
#include <sstream>
#include <string_view>

namespace slimgrad {
namespace {

struct OpenLoop {
    std::size_t loop;
    int depth; ///< braces around it
};

bool begins_loop(std::string_view line) {
    return line.starts_with("for(") || line.starts_with("while(");
}

/// `#line 12 "file"`, or `#line 12` in the same file.
void read_line_directive(std::string_view line, Place& place) {
    place.line =
        static_cast<std::uint32_t>(std::strtoul(line.data() + line.find(' '), nullptr, 10));
    const auto open = line.find('"'), close = line.rfind('"');
    if (open < close)
        place.file = line.substr(open + 1, close - open - 1);
}

} // namespace

std::vector<std::vector<Place>> emitted_loops(const std::string& code) {
    std::vector<std::vector<Place>> loops;
    std::vector<Place> starts;
    std::vector<OpenLoop> open;
    Place place;
    int depth = 0;
    std::istringstream lines(code);
    for (std::string text; std::getline(lines, text);) {
        const auto begin = text.find_first_not_of(" \t");
        const std::string line = begin == std::string::npos ? "" : text.substr(begin);
        if (line.starts_with("#line ")) {
            read_line_directive(line, place);
            for (const OpenLoop& loop : open)
                loops[loop.loop].push_back(place);
            continue;
        }
        if (place.file.empty())
            continue;
        if (begins_loop(line)) {
            open.push_back({loops.size(), depth});
            loops.emplace_back();
            starts.push_back(place);
        }
        for (char c : line) {
            if (c == '{')
                ++depth;
            if (c == '}' && --depth == (open.empty() ? -1 : open.back().depth))
                open.pop_back();
        }
        ++place.line;
    }
    for (std::size_t i = 0; i < loops.size(); ++i)
        if (loops[i].empty())
            loops[i].push_back(starts[i]);
    return loops;
}

} // namespace slimgrad
