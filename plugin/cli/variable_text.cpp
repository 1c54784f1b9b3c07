#include "plugin/cli/variable_text.h"

#include "plugin/cli/model_report.h"
#include "plugin/cli/model_words.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {
namespace {

// More of them go on lines of their own.
constexpr std::size_t groups_on_a_line = 2;

std::string_view words_of(VariableKind kind) {
    return kind == VariableKind::other ? "generic value" : name(kind);
}

/// How a value gets into a variable, where that is no plain assignment.
std::string words_of(const Definition& definition) {
    std::string_view how;
    switch (definition.kind) {
    case DefinitionKind::entry:
    case DefinitionKind::assignment:
        return definition.partial ? " (a part)" : "";
    case DefinitionKind::declaration:
        how = "declaration";
        break;
    case DefinitionKind::update:
        how = "update";
        break;
    case DefinitionKind::argument:
        how = "argument";
        break;
    case DefinitionKind::receiver:
        how = "its method";
        break;
    case DefinitionKind::call:
        how = "a call";
        break;
    }
    return fmt::format(" ({}{})", how, definition.partial ? ", a part" : "");
}

std::string derivative_of(const Use& use) {
    std::string words = use.derivative == DerivativeUse::carries    ? " with its derivative"
                        : use.derivative == DerivativeUse::does_not ? " without derivative"
                                                                    : ", derivative unknown";
    if (!use.reason.empty())
        words += fmt::format(" ({})", use.reason);
    return words;
}

bool is_carried(const Use& use) {
    return std::any_of(use.reaching.begin(), use.reaching.end(),
                       [](const ReachingDefinition& r) { return r.carried_by != none; });
}

} // namespace

std::optional<std::string> common_reason(const FunctionFlow& flow) {
    if (flow.uses.empty())
        return std::nullopt;
    const Use& first = flow.uses.front();
    const bool same = std::all_of(flow.uses.begin(), flow.uses.end(), [&](const Use& use) {
        return use.derivative == DerivativeUse::does_not && use.reason == first.reason;
    });
    return same && !first.reason.empty() ? std::optional(first.reason) : std::nullopt;
}

std::string VariableText::shown(Site site, const PlacedLines& lines) const {
    const Place place = model_.place(site);
    return site.file == file_ ? fmt::format("{}:{}", place.line, place.column) : lines.shown(place);
}

std::string VariableText::head(const Variable& variable) const {
    std::string text = fmt::format("{} {}", words_of(variable.kind), variable.name);
    if (!variable.type.empty())
        text += " : " + variable.type;
    if (model_.expanded_use(variable.site))
        text += " (from a macro)";
    return text;
}

void VariableText::add_definitions(Index variable, const PlacedLines& lines,
                                   std::vector<Group>& groups) const {
    Group group;
    for (const Definition& definition : flow_.definitions) {
        const bool is_here = // where the variable's line points
            definition.kind == DefinitionKind::declaration &&
            definition.site.range.begin == flow_.variables[variable].site.range.begin;
        if (definition.variable != variable || definition.kind == DefinitionKind::entry || is_here)
            continue;
        if (group.words.empty())
            group = {definition.site, "set at "};
        else
            group.words += ", ";
        group.words += shown(definition.site, lines) + words_of(definition);
    }
    if (!group.words.empty())
        groups.push_back(std::move(group));
}

/// By what becomes of the derivative, and whether a value of the trip before may come there.
void VariableText::add_uses(Index variable, const PlacedLines& lines,
                            std::vector<Group>& groups) const {
    struct Uses {
        std::string what;
        std::vector<const Use*> uses;
    };
    std::vector<Uses> kinds;
    for (const Use& use : flow_.uses) {
        if (use.variable != variable)
            continue;
        std::string what = fmt::format("used{}{} at ", reasons_ ? derivative_of(use) : "",
                                       is_carried(use) ? ", also from the trip before," : "");
        const auto known =
            std::find_if(kinds.begin(), kinds.end(), [&](const Uses& k) { return k.what == what; });
        if (known == kinds.end())
            kinds.push_back({std::move(what), {&use}});
        else
            known->uses.push_back(&use);
    }
    for (Uses& kind : kinds) {
        std::vector<std::string> places;
        for (const Use* use : kind.uses)
            places.push_back(shown(use->site, lines));
        groups.push_back(
            {kind.uses.front()->site, kind.what + fmt::format("{}", fmt::join(places, ", "))});
    }
}

void VariableText::add_to(PlacedLines& lines, Index index, int depth) const {
    const Variable& variable = flow_.variables[index];
    if (variable.kind == VariableKind::other && variable.site.range.empty())
        return;
    std::vector<Group> groups;
    add_definitions(index, lines, groups);
    add_uses(index, lines, groups);
    if (groups.empty())
        return;
    // What is declared elsewhere stands where the function speaks of it first.
    const bool is_own =
        (variable.kind == VariableKind::parameter || variable.kind == VariableKind::local) &&
        !variable.site.range.empty();
    const Place place = model_.place(is_own ? variable.site : groups.front().first);
    std::string text = head(variable);
    if (groups.size() > groups_on_a_line) {
        lines.add(place, depth, text);
        for (const Group& group : groups)
            lines.add(model_.place(group.first), depth + 1, group.words);
        return;
    }
    for (const Group& group : groups)
        text += "; " + group.words;
    lines.add(place, depth, text);
}

} // namespace slimgrad
