#include "attributes/function_flows.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace slimgrad {

namespace {

void add(std::vector<const Definition*>& definitions, const Definition& definition) {
    if (std::find(definitions.begin(), definitions.end(), &definition) == definitions.end())
        definitions.push_back(&definition);
}

bool is_inside(const ModuleModel& model, Index inner, Index outer) {
    while (inner != none && inner != outer)
        inner = model.loops[inner].parent;
    return inner == outer;
}

} // namespace

const FunctionFlow& FunctionFlows::of(Index function) {
    if (!analysis_)
        analysis_ = std::make_unique<FlowAnalysis>(model_);
    const auto found = flows_.find(function);
    return found != flows_.end()
               ? found->second
               : flows_.emplace(function, analysis_->of_function(function)).first->second;
}

std::optional<VariableUse> FunctionFlows::find(Index function, std::string_view name, Site site) {
    if (function == none)
        return std::nullopt;
    const FunctionFlow& flow = of(function);
    std::optional<VariableUse> found;
    for (const Use& use : flow.uses) {
        const Variable& variable = flow.variables[use.variable];
        if (variable.name != name || use.site.file != site.file ||
            !site.range.contains(use.site.range))
            continue;
        if (found && found->variable != &variable)
            return VariableUse{};
        if (!found)
            found = VariableUse{&variable, {}, flow.incomplete.empty()};
        for (const ReachingDefinition& reaching : use.reaching)
            add(found->definitions, flow.definitions[reaching.definition]);
    }
    if (found && has_address_taken(function, *found->variable))
        found->is_complete = false;
    return found;
}

std::optional<VariableUse> FunctionFlows::at_entry(Index index) {
    const Loop& loop = model_.loops[index];
    if (loop.function == none)
        return std::nullopt;
    const FunctionFlow& flow = of(loop.function);
    std::optional<VariableUse> found;
    for (const Use& use : flow.uses) {
        const Variable& variable = flow.variables[use.variable];
        const bool is_counter =
            variable.name == loop.counter &&
            (loop.counter_local != none
                 ? variable.kind == VariableKind::local && variable.index == loop.counter_local
                 : variable.kind == VariableKind::parameter);
        if (!is_counter || !is_inside(model_, use.loop, index))
            continue;
        if (!found)
            found = VariableUse{&variable, {}, flow.incomplete.empty()};
        for (const ReachingDefinition& reaching : use.reaching) {
            const Definition& definition = flow.definitions[reaching.definition];
            if (reaching.carried_by != none && !is_inside(model_, reaching.carried_by, index) &&
                is_inside(model_, definition.loop, index))
                return std::nullopt;
            if (!is_inside(model_, definition.loop, index))
                add(found->definitions, definition);
        }
    }
    if (found && has_address_taken(loop.function, *found->variable))
        found->is_complete = false;
    return found;
}

/// Whoever has the address may write, without a definition.
bool FunctionFlows::has_address_taken(Index function, const Variable& variable) const {
    return std::any_of(model_.accesses.begin(), model_.accesses.end(), [&](const Access& access) {
        if (access.function != function || access.name != variable.name ||
            access.kind == AccessKind::read)
            return false;
        const std::string& text = model_.files[access.site.file].text();
        std::uint32_t at = access.site.range.begin;
        while (at > 0 && std::isspace(static_cast<unsigned char>(text[at - 1])))
            --at;
        return at > 0 && text[at - 1] == '&';
    });
}

} // namespace slimgrad
