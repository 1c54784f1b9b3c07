#include "rewriter/flow_constants.h"

#include "rewriter/core_derivatives.h"
#include "rewriter/type.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace slimgrad {

namespace {

constexpr int most_rounds = 8; ///< constants made of constants; longer chains keep their answer

/// Indices of things that stand in one file, by where they begin.
class ByPlace {
  public:
    template <class Things, class RangeOf> ByPlace(const Things& things, RangeOf range_of) {
        for (Index i = 0; i < things.size(); ++i)
            places_.emplace_back(range_of(things[i]), i);
        std::sort(places_.begin(), places_.end());
    }

    /// Whether it holds for all that stands in the range.
    template <class Holds> bool all_in(ByteRange range, Holds holds) const {
        auto at = std::lower_bound(
            places_.begin(), places_.end(), range.begin,
            [](const auto& place, std::uint32_t begin) { return place.first.begin < begin; });
        for (; at != places_.end() && at->first.begin < range.end; ++at)
            if (range.contains(at->first) && !holds(at->second))
                return false;
        return true;
    }

  private:
    std::vector<std::pair<ByteRange, Index>> places_;
};

} // namespace

/// By variable: whether all that is written to it stands in definitions, and it holds numbers.
std::vector<bool> FlowConstants::settled(const FunctionFlow& flow) const {
    std::vector<bool> result;
    for (const Variable& variable : flow.variables) {
        const bool is_own =
            variable.kind == VariableKind::local || variable.kind == VariableKind::parameter;
        const bool is_static = variable.kind == VariableKind::local && variable.index != none &&
                               model_.locals[variable.index].is_static;
        result.push_back(is_own && !is_static && !scalar_of(variable.type).empty());
    }
    for (const Definition& definition : flow.definitions)
        if (definition.kind == DefinitionKind::argument ||
            definition.kind == DefinitionKind::receiver || definition.kind == DefinitionKind::call)
            result[definition.variable] = false;
    return result;
}

/// Whether a derivative may go through the call to what is none of its arguments, as to memory or
/// to `this`.
bool FlowConstants::may_have_derivative(const Call& call) const {
    if (call.kind != CallKind::plain)
        return true;
    if (call.callee_kind == CalleeKind::construction)
        return false;
    if (call.callee_kind == CalleeKind::builtin)
        return derivative_of_core_function(call.callee).use == DerivativeUse::unknown;
    const auto callees = model_.callees(call);
    if (callees.empty() || call.callee_kind == CalleeKind::macro ||
        call.callee_kind == CalleeKind::value)
        return true;
    return std::any_of(callees.begin(), callees.end(), [&](Index callee) {
        const Function& function = model_.functions[callee];
        if (is_differentiable(model_, own_, callee).use == DerivativeUse::does_not)
            return false;
        return own_.may_run(callee) || !function.parent_type.empty() || call.form != CallForm::call;
    });
}

void FlowConstants::find(FunctionFlow& flow) const {
    const std::vector<bool> is_settled = settled(flow);
    const ByPlace uses(flow.uses, [](const Use& use) { return use.site.range; });
    const ByPlace calls(calls_, [&](Index call) { return model_.calls[call].site.range; });
    std::vector<Index> open; ///< definitions that may set no derivative
    for (const auto& [definition, value] : values_) {
        const Definition& d = flow.definitions[definition];
        const bool by_calls = !calls.all_in(value.range, [&](Index call) {
            return !may_have_derivative(model_.calls[calls_[call]]);
        });
        if (is_settled[d.variable] && !d.partial && !by_calls && !model_.is_macro(value))
            open.push_back(definition);
    }
    std::vector<bool> constant(flow.definitions.size(), false);
    bool changed = true;
    for (int round = 0; changed && round < most_rounds; ++round) {
        changed = false;
        std::erase_if(open, [&](Index definition) {
            constant[definition] = uses.all_in(values_.at(definition).range, [&](Index use) {
                return flow.uses[use].derivative == DerivativeUse::does_not;
            });
            return constant[definition];
        });
        for (Use& use : flow.uses) {
            if (use.derivative == DerivativeUse::does_not || !is_settled[use.variable] ||
                use.reaching.empty() ||
                !std::all_of(use.reaching.begin(), use.reaching.end(),
                             [&](const ReachingDefinition& reaching) {
                                 return constant[reaching.definition];
                             }))
                continue;
            const Place place =
                model_.place(flow.definitions[use.reaching.front().definition].site);
            use.derivative = DerivativeUse::does_not;
            use.reason = fmt::format("set without derivative at {}:{}", place.line, place.column);
            changed = true;
        }
    }
}

} // namespace slimgrad
