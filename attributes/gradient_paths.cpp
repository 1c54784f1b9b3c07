#include "attributes/gradient_paths.h"

#include "attributes/rule.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {
namespace {

bool holds(Site outer, Site inner) {
    return outer.file == inner.file && outer.range.begin <= inner.range.begin &&
           inner.range.end <= outer.range.end;
}

bool is_own_local(const ModuleModel& model, const Variable& variable) {
    return variable.kind == VariableKind::local && variable.index != none &&
           !model.locals[variable.index].is_static;
}

/// What a definition sets its variable to, as far as that is text.
std::optional<Site> value_of(const ModuleModel& model, const FunctionFlow& flow,
                             const Definition& definition) {
    if (definition.kind == DefinitionKind::declaration) {
        const Variable& variable = flow.variables[definition.variable];
        return is_own_local(model, variable) ? model.locals[variable.index].initializer
                                             : std::nullopt;
    }
    if (definition.kind == DefinitionKind::assignment || definition.kind == DefinitionKind::update)
        return definition.site;
    return std::nullopt;
}

bool writes_elsewhere(const Definition& definition) {
    return definition.kind == DefinitionKind::argument ||
           definition.kind == DefinitionKind::receiver || definition.kind == DefinitionKind::call;
}

} // namespace

const std::vector<GradientPaths::Holder>& GradientPaths::holders_in(Index function) {
    const auto known = holders_.find(function);
    if (known != holders_.end())
        return known->second;
    const FunctionFlow& flow = flows_.of(function);
    std::vector<Holder> found;
    for (Index i = 0; i < flow.definitions.size(); ++i) {
        const auto value = value_of(model_, flow, flow.definitions[i]);
        if (!value)
            continue;
        const bool is_plain = is_own_local(model_, flow.variables[flow.definitions[i].variable]) &&
                              !calls_memory(function, *value) &&
                              std::none_of(flow.definitions.begin(), flow.definitions.end(),
                                           [&](const Definition& d) {
                                               return writes_elsewhere(d) && holds(*value, d.site);
                                           });
        found.push_back({i, *value, is_plain});
    }
    return holders_[function] = std::move(found);
}

std::vector<Index> GradientPaths::holders(Index function, Site use) {
    std::vector<Index> found;
    for (const Holder& holder : holders_in(function)) {
        if (!holds(holder.value, use))
            continue;
        if (!holder.is_plain)
            return {};
        found.push_back(holder.definition);
    }
    return found;
}

const std::vector<bool>& GradientPaths::open_uses(Index function) {
    const auto known = open_.find(function);
    if (known != open_.end())
        return known->second;
    const FunctionFlow& flow = flows_.of(function);
    if (!flow.incomplete.empty())
        return open_[function] = std::vector<bool>(flow.uses.size(), true);
    std::vector<std::vector<Index>> goes_into(flow.uses.size());
    for (Index i = 0; i < flow.uses.size(); ++i)
        goes_into[i] = holders(function, flow.uses[i].site);
    std::vector<bool> open(flow.uses.size(), false), wanted(flow.variables.size(), false);
    for (bool changed = true; changed;) {
        changed = false;
        for (Index i = 0; i < flow.uses.size(); ++i) {
            if (open[i] || flow.uses[i].derivative == DerivativeUse::does_not)
                continue;
            open[i] = goes_into[i].empty() ||
                      std::any_of(goes_into[i].begin(), goes_into[i].end(),
                                  [&](Index d) { return wanted[flow.definitions[d].variable]; });
            if (open[i])
                changed = wanted[flow.uses[i].variable] = true;
        }
    }
    return open_[function] = std::move(open);
}

const Call* GradientPaths::call_at(Site site) const {
    const auto found = calls_.find({site.file, site.range});
    return found == calls_.end() ? nullptr : found->second;
}

/// Whether a call in the code may add to a gradient in memory, whatever its arguments are.
bool GradientPaths::calls_memory(Index function, Site code) {
    for (const CallFlow& flow : flows_.of(function).calls) {
        if (flow.derivative == DerivativeUse::does_not || !holds(code, flow.site))
            continue;
        const Call* call = call_at(flow.site);
        if (!call || call->target == none)
            return true;
        const std::vector<Index> callees = model_.callees(*call);
        if (std::any_of(callees.begin(), callees.end(),
                        [&](Index callee) { return reaches_memory(callee); }))
            return true;
    }
    return false;
}

bool GradientPaths::reaches_memory(Index function) {
    const auto known = memory_.find(function);
    if (known != memory_.end())
        return known->second;
    memory_[function] = true; // what calls itself is not looked into
    const Function& callee = model_.functions[function];
    const FunctionFlow& flow = flows_.of(function);
    const bool reaches =
        !callee.body || own_.may_run(function) || !flow.incomplete.empty() ||
        std::any_of(flow.uses.begin(), flow.uses.end(),
                    [&](const Use& use) {
                        const VariableKind kind = flow.variables[use.variable].kind;
                        return use.derivative != DerivativeUse::does_not &&
                               (!use.reason.empty() ||
                                (kind != VariableKind::parameter && kind != VariableKind::local));
                    }) ||
        calls_memory(function, callee.site);
    return memory_[function] = reaches;
}

bool GradientPaths::may_give_gradient(Index function) {
    if (!model_.functions[function].body || own_.has(function) ||
        !flows_.of(function).incomplete.empty())
        return true;
    const FunctionFlow& flow = flows_.of(function);
    const std::vector<bool>& open = open_uses(function);
    for (Index i = 0; i < open.size(); ++i)
        if (open[i] && (!flow.uses[i].reason.empty() ||
                        !is_own_local(model_, flow.variables[flow.uses[i].variable])))
            return true;
    return calls_memory(function, model_.functions[function].site);
}

bool GradientPaths::may_take_gradient(Index function, Site code) {
    const FunctionFlow& flow = flows_.of(function);
    const std::vector<bool>& open = open_uses(function);
    if (!flow.incomplete.empty() || calls_memory(function, code))
        return true;
    for (Index i = 0; i < open.size(); ++i)
        if (open[i] && holds(code, flow.uses[i].site))
            return true;
    return false;
}

std::string GradientPaths::where_it_ends(Index function) {
    const FunctionFlow& flow = flows_.of(function);
    const auto end_of = [&](Index variable) -> const Use* {
        for (std::size_t steps = 0; variable != none && steps <= flow.variables.size(); ++steps) {
            const auto use = std::find_if(flow.uses.begin(), flow.uses.end(),
                                          [&](const Use& u) { return u.variable == variable; });
            if (use == flow.uses.end())
                return nullptr;
            if (use->derivative == DerivativeUse::does_not)
                return &*use;
            const std::vector<Index> into = holders(function, use->site);
            variable = into.empty() ? none : flow.definitions[into.front()].variable;
        }
        return nullptr;
    };
    for (Index i = 0; i < flow.variables.size(); ++i) {
        const Variable& variable = flow.variables[i];
        if (variable.kind != VariableKind::parameter ||
            DerivativeTypes(model_, function).of(variable.type).use == DerivativeUse::does_not)
            continue;
        if (const Use* end = end_of(i))
            return fmt::format("'{}' is used without its derivative at {} ({})",
                               flow.variables[end->variable].name, short_place(model_, end->site),
                               end->reason);
    }
    return "";
}

} // namespace slimgrad
