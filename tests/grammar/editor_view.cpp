#include "tests/grammar/editor_view.h"

#include "tests/grammar/locals.h"

#include <algorithm>
#include <utility>

namespace slimgrad::tests {

std::vector<std::string> colours(const Parsed& parsed, const Query& highlights,
                                 const Query& locals) {
    std::vector<std::string> result(parsed.source.size());
    auto fill = [&](std::uint32_t start, std::uint32_t end, const std::string& name) {
        std::fill(result.begin() + start, result.begin() + end, name);
    };
    std::vector<Match> matches = highlights.matches(parsed.root(), parsed.source);
    for (const Capture& capture : captures_in_order(matches))
        fill(ts_node_start_byte(capture.node), ts_node_end_byte(capture.node), capture.name);
    for (const Reference& reference :
         references_in(locals.matches(parsed.root(), parsed.source), parsed.source))
        fill(reference.start, reference.end, std::string(result[reference.definition]));
    return result;
}

std::map<std::uint32_t, std::string> tags(const Parsed& parsed, const Query& query) {
    std::map<std::uint32_t, std::pair<std::uint32_t, std::string>> found;
    for (const Match& match : query.matches(parsed.root(), parsed.source)) {
        std::string kind;
        std::uint32_t place = 0;
        for (const Capture& capture : match.captures)
            if (capture.name == "name")
                place = ts_node_start_byte(capture.node);
            else
                kind = capture.name;
        auto [entry, added] = found.try_emplace(place, match.pattern, kind);
        if (!added && match.pattern < entry->second.first)
            entry->second = {match.pattern, kind};
    }
    std::map<std::uint32_t, std::string> result;
    for (const auto& [place, tag] : found)
        result[place] = tag.second;
    return result;
}

} // namespace slimgrad::tests
