#include "tests/grammar/locals.h"

#include <map>

namespace slimgrad::tests {

std::vector<Reference> references_in(const std::vector<Match>& locals, std::string_view source) {
    struct Scope {
        std::uint32_t end;
        std::map<std::string_view, std::uint32_t> names;
    };
    std::vector<Scope> scopes;
    std::vector<Reference> result;
    for (const Capture& capture : captures_in_order(locals)) {
        std::uint32_t start = ts_node_start_byte(capture.node);
        std::uint32_t end = ts_node_end_byte(capture.node);
        while (!scopes.empty() && start >= scopes.back().end)
            scopes.pop_back();
        if (capture.name == "local.scope") {
            scopes.push_back({end, {}});
        } else if (capture.name == "local.definition") {
            if (!scopes.empty())
                scopes.back().names[text_of(capture.node, source)] = start;
        } else {
            for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
                auto found = scope->names.find(text_of(capture.node, source));
                if (found != scope->names.end()) {
                    result.push_back({start, end, found->second});
                    break;
                }
            }
        }
    }
    return result;
}

} // namespace slimgrad::tests
