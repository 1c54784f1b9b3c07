#include "attributes/macro_risk.h"

#include "attributes/expression_text.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace slimgrad {

namespace {

constexpr int deepest_macro = 8;

/// An assignment, ++ or --; "==", "<=", ">=" and "!=" are none.
bool has_write(std::string_view body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
        const std::string_view two = body.substr(i, 2);
        const char before = i > 0 ? body[i - 1] : ' ';
        const bool shift = i > 1 && (before == '<' || before == '>') && body[i - 2] == before;
        if (two == "++" || two == "--" ||
            (body[i] == '=' && two != "==" &&
             (shift || std::string_view("=<>!").find(before) == std::string_view::npos)))
            return true;
    }
    return false;
}

void add_risk(const ModuleModel& model, const std::string& name, int depth, MacroRisk& risk) {
    if (depth > deepest_macro) {
        risk = {true, true, true};
        return;
    }
    for (const MacroDefinition& macro : model.macros) {
        if (macro.name != name)
            continue;
        risk.writes = risk.writes || has_write(macro.body);
        for (const std::string& word : names_in(macro.body)) {
            risk.leaves = risk.leaves || word == "break" || word == "return" || word == "discard" ||
                          word == "throw";
            risk.continues = risk.continues || word == "continue";
            if (word != name && model.find_macro(word))
                add_risk(model, word, depth + 1, risk);
        }
    }
}

} // namespace

MacroRisk macro_risk(const ModuleModel& model, const std::string& name) {
    MacroRisk risk;
    add_risk(model, name, 0, risk);
    return risk;
}

std::string risky_macro(const ModuleModel& model, Site site, bool MacroRisk::* risk) {
    if (model.macros.empty())
        return "";
    for (const UnreadMacro& macro : model.unread_macros) {
        if (risk == &MacroRisk::writes && macro.site.file == site.file &&
            site.range.contains(macro.site.range))
            return macro.name;
    }
    // The model holds what the macros do that it reads as what they stand for.
    std::string text(model.text(site));
    for (const ExpandedUse& use : model.expanded_uses) {
        const auto begin = std::max(use.use().begin, site.range.begin),
                   end = std::min(use.use().end, site.range.end);
        if (use.file() == site.file && begin < end)
            text.replace(begin - site.range.begin, end - begin, end - begin, ' ');
    }
    for (const std::string& name : names_in(text)) {
        if (model.find_macro(name) && macro_risk(model, name).*risk)
            return name;
    }
    return "";
}

} // namespace slimgrad
