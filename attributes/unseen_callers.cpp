#include "attributes/unseen_callers.h"

#include "attributes/expression_text.h"
#include "rewriter/macro_expansion.h"

#include <algorithm>

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

/// Calls `visit(range)` for each token that is not left out.
template <class Visit>
void for_active_tokens(const ModuleModel& model, std::uint32_t file, Visit visit) {
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
        visit(ByteRange{std::uint32_t(at), std::uint32_t(end)});
        at = end;
    }
}

} // namespace

bool UnseenCallers::has(Index function) {
    if (!is_read_)
        read();
    const auto [known, is_new] = known_.try_emplace(function, false);
    if (is_new)
        known->second = find(function);
    return known->second;
}

void UnseenCallers::read() {
    is_read_ = true;
    for (const Function& function : model_.functions)
        mentions_[function.name];
    for (std::uint32_t file = 0; file < model_.files.size(); ++file) {
        const std::string_view text = model_.files[file].text();
        for_active_tokens(model_, file, [&](ByteRange range) {
            const bool is_suffix = range.begin > 1 && text[range.begin - 1] == '.' &&
                                   is_digit(text[range.begin - 2]); // `1.f`
            const auto named = mentions_.find(text.substr(range.begin, range.end - range.begin));
            if (named != mentions_.end() && !is_suffix)
                named->second.push_back({file, range});
        });
    }
}

bool UnseenCallers::find(Index function) const {
    const std::string& name = model_.functions[function].name;
    for (const MacroDefinition& macro : model_.macros) {
        const auto words = names_in(macro.body);
        if (std::find(words.begin(), words.end(), name) != words.end())
            return true;
    }
    const std::vector<Site> known = known_mentions(model_, function);
    const std::vector<Site>& mentions = mentions_.find(name)->second;
    return std::any_of(mentions.begin(), mentions.end(), [&](const Site& mention) {
        return std::none_of(known.begin(), known.end(), [&](const Site& site) {
            return site.file == mention.file && site.range.contains(mention.range);
        });
    });
}

} // namespace slimgrad
