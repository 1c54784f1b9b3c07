#include "attributes/unroll_cost.h"

#include "attributes/specialised_trips.h"

#include <algorithm>
#include <set>

namespace slimgrad {

namespace {

/// Variables that hold what came from the trip before, or what was made of it.
std::set<Index> carried_variables(const ModuleModel& model, const FunctionFlow& flow, Index loop) {
    const Loop& l = model.loops[loop];
    const auto carries = [](const Use& use) { return use.derivative != DerivativeUse::does_not; };
    std::set<Index> carried;
    for (const Use& use : flow.uses)
        if (carries(use) && std::any_of(use.reaching.begin(), use.reaching.end(),
                                        [&](const auto& r) { return r.carried_by == loop; }))
            carried.insert(use.variable);
    const auto made_of_carried = [&](const Site& value) {
        return std::any_of(flow.uses.begin(), flow.uses.end(), [&](const Use& use) {
            return carries(use) && carried.contains(use.variable) && use.site.file == value.file &&
                   value.range.contains(use.site.range);
        });
    };
    for (bool grown = !carried.empty(); grown;) {
        grown = false;
        for (const Definition& definition : flow.definitions) {
            const Variable& variable = flow.variables[definition.variable];
            std::optional<Site> value = definition.value;
            if (definition.kind == DefinitionKind::declaration &&
                variable.kind == VariableKind::local && variable.index != none)
                value = model.locals[variable.index].initializer;
            else if (definition.kind == DefinitionKind::update)
                value = definition.site;
            if (value && value->file == l.site.file && l.body.contains(value->range) &&
                made_of_carried(*value))
                grown |= carried.insert(definition.variable).second;
        }
    }
    return carried;
}

} // namespace

bool has_constant_trips(const TripCount& trips) {
    if (!trips.condition.empty() || trips.is_input)
        return false;
    return trips.expression_is_constant ||
           (trips.exact && !trips.from_callers && !trips.upper_is_promised);
}

std::optional<std::int64_t> UnrollCost::trips(Index loop) {
    const TripCount& count = trips_.of(loop);
    if (!has_constant_trips(count))
        return std::nullopt;
    if (count.exact)
        return count.exact;
    std::optional<std::int64_t> most;
    for (const SpecialisedTrips& special : specialised_trips(model_, loop, count))
        most = std::max(most.value_or(0), special.trips);
    return most;
}

std::string UnrollCost::carries_through(Index loop) {
    const Loop& l = model_.loops[loop];
    if (l.function == none)
        return "";
    const FunctionFlow& flow = flows_.of(l.function);
    const std::set<Index> carried = carried_variables(model_, flow, loop);
    const auto takes_carried = [&](const Call& call) {
        const auto in = [&](Site use) {
            if (call.receiver_site && call.receiver_site->range.contains(use.range))
                return true;
            return std::any_of(call.arguments.begin(), call.arguments.end(), [&](Site argument) {
                return argument.file == use.file && argument.range.contains(use.range);
            });
        };
        return std::any_of(flow.uses.begin(), flow.uses.end(), [&](const Use& use) {
            return use.derivative != DerivativeUse::does_not && carried.contains(use.variable) &&
                   in(use.site);
        });
    };
    for (const CallFlow& flow_of_call : flow.calls) {
        if (flow_of_call.derivative == DerivativeUse::does_not ||
            flow_of_call.site.file != l.site.file || !l.body.contains(flow_of_call.site.range))
            continue;
        for (const Call& call : model_.calls)
            if (call.site == flow_of_call.site && takes_carried(call))
                return call.callee;
    }
    return "";
}

} // namespace slimgrad
