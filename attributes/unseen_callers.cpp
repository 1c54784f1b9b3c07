#include "attributes/unseen_callers.h"

#include "attributes/expression_text.h"
#include "rewriter/macro_expansion.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

namespace {

/// Places in which a name is no call, or one that the model has.
std::vector<Site> known_mentions(const ModuleModel& model, Index function) {
    std::vector<Site> known;
    for (const Function& other : model.functions) {
        if (other.name == model.functions[function].name)
            known.push_back(other.name_site);
        for (const Attribute& attribute : other.attributes)
            known.push_back(attribute.site);
    }
    for (const Call& call : model.calls) {
        const std::vector<Index> callees = model.callees(call);
        if (std::find(callees.begin(), callees.end(), function) != callees.end())
            known.push_back({call.site.file, {call.site.range.begin, call.open_parenthesis}});
    }
    return known;
}

} // namespace

bool has_unseen_callers(const ModuleModel& model, Index function) {
    const std::string& name = model.functions[function].name;
    for (const MacroDefinition& macro : model.macros) {
        const auto words = names_in(macro.body);
        if (std::find(words.begin(), words.end(), name) != words.end())
            return true;
    }
    const std::vector<Site> known = known_mentions(model, function);
    for (std::uint32_t file = 0; file < model.files.size(); ++file) {
        const std::string_view text = model.files[file].text();
        auto inactive = model.inactive[file].begin();
        for (std::size_t at = 0; at < text.size();) {
            while (inactive != model.inactive[file].end() && inactive->end <= at)
                ++inactive;
            if (inactive != model.inactive[file].end() && inactive->contains(std::uint32_t(at))) {
                at = inactive->end;
                continue;
            }
            const std::size_t end = token_end(text, at);
            const ByteRange range{std::uint32_t(at), std::uint32_t(end)};
            at = end;
            const bool is_suffix = range.begin > 1 && text[range.begin - 1] == '.' &&
                                   std::isdigit(static_cast<unsigned char>(text[range.begin - 2]));
            if (is_suffix) // `1.f`
                continue;
            if (text.substr(range.begin, range.end - range.begin) == name &&
                std::none_of(known.begin(), known.end(), [&](const Site& site) {
                    return site.file == file && site.range.contains(range);
                }))
                return true;
        }
    }
    return false;
}

} // namespace slimgrad
