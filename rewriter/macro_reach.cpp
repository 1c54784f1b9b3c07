#include "rewriter/macro_reach.h"

#include "rewriter/words.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace slimgrad {

namespace {

const std::uint32_t no_file = MacroDefinition().file; // of a -D option

} // namespace

void MacroReach::word(std::string_view word, bool is_call, const MacroTable& macros) {
    std::string name(word);
    Uses& uses = uses_[name];
    const auto found = macros.find(name);
    if (found == macros.end()) {
        (is_call ? uses.called : uses.plain) = true;
        return;
    }
    const MacroDefinition& macro = found->second;
    if (macro.function_like && !is_call)
        return;
    uses.in_force = true;
    if (uses.version == version_)
        return;
    uses.version = version_;
    // What it stands for is used here, too.
    const std::string_view body = macro.body;
    for (std::size_t at = 0; at < body.size();) {
        std::size_t end = at + 1;
        if (body[at] == '"' || body[at] == '\'') {
            while (end < body.size() && body[end] != body[at])
                end += body[end] == '\\' ? 2 : 1;
            ++end;
        } else if (is_name(body[at])) {
            while (end < body.size() && is_name(body[end]))
                ++end;
            const std::size_t next = std::min(body.find_first_not_of(" \t", end), body.size());
            if (!is_digit(body[at]))
                this->word(body.substr(at, end - at), body.substr(next).starts_with('('), macros);
        }
        at = end;
    }
}

void MacroReach::apply(std::vector<MacroDefinition>& macros) const {
    std::map<std::string, std::vector<const MacroDefinition*>> by_name;
    for (const MacroDefinition& macro : macros)
        by_name[macro.name].push_back(&macro);
    std::vector<MacroDefinition> others;
    std::set<std::string> nowhere;
    for (const auto& [name, definitions] : by_name) {
        const auto all = [&](auto has) {
            return std::all_of(definitions.begin(), definitions.end(), has);
        };
        const auto found = uses_.find(name);
        const bool only_calls = all([](const auto* macro) { return macro->function_like; });
        if (found == uses_.end() || !is_elsewhere(found->second, only_calls))
            continue;
        const bool in_files = all([](const auto* macro) { return macro->file != no_file; });
        if (in_files && !found->second.in_force) {
            nowhere.insert(name);
            continue;
        }
        // A -D option stays: conditions may rest on it.
        const MacroDefinition& last = *definitions.back();
        const std::uint32_t at = last.range.begin;
        others.push_back({name, false, name, last.file == no_file ? 0 : last.file, {at, at}});
    }
    std::erase_if(macros, [&](const auto& macro) { return nowhere.contains(macro.name); });
    macros.insert(macros.begin(), others.begin(), others.end());
}

} // namespace slimgrad
