#include "tests/grammar/assertions.h"

#include <algorithm>
#include <regex>

namespace slimgrad::tests {

std::vector<Assertion> read_assertions(std::string_view source) {
    static const std::regex form(R"(^( *)(// *)(<-|\^+) *(!?)([\w.-]+).*$)");
    std::vector<Assertion> assertions;
    std::size_t subject = 0; // where the last line that is no assertion begins
    std::size_t number = 0;
    for (std::size_t start = 0; start < source.size();) {
        std::size_t end = std::min(source.find('\n', start), source.size());
        std::string line(source.substr(start, end - start));
        ++number;
        std::smatch match;
        if (std::regex_match(line, match, form)) {
            bool left = match.str(3) == "<-";
            std::size_t column = static_cast<std::size_t>(match.position(left ? 2 : 3));
            assertions.push_back({number, subject + column,
                                  left ? 1 : static_cast<std::size_t>(match.length(3)),
                                  match.length(4) > 0, match.str(5)});
        } else {
            subject = start;
        }
        start = end + 1;
    }
    return assertions;
}

} // namespace slimgrad::tests
