#include "attributes/specialised_trips.h"

#include "attributes/constants.h"
#include "attributes/expression_text.h"
#include "attributes/loop_counter.h"
#include "attributes/receiver_type.h"
#include "rewriter/integer_expression.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <utility>

namespace slimgrad {

namespace {

using Values = std::vector<std::pair<std::string, std::int64_t>>;

/// The call runs the function and nothing else.
bool calls(const ModuleModel& model, const Call& call, Index function) {
    if (call.target != none || call.callee_kind != CalleeKind::unresolved)
        return call.target == function;
    // Overloads share a name: a call could mean another one.
    const std::string& name = model.functions[function].name;
    return call.callee == name && model.find_functions(name).size() == 1;
}

/// "N" of `let N : int` stands in a parameter's type, so that a call without generic arguments may
/// give it by what it passes.
bool is_inferred(const Function& function, const std::string& name) {
    return std::any_of(function.parameters.begin(), function.parameters.end(),
                       [&](const Parameter& parameter) {
                           const auto names = names_in(parameter.type);
                           return std::find(names.begin(), names.end(), name) != names.end();
                       });
}

class GenericValues {
  public:
    GenericValues(const ModuleModel& model, Index call, const Function& function,
                  const std::vector<std::string>& used)
        : model_(model), index_(call), call_(model.calls[call]), function_(function), used_(used) {}

    /// Of all generic parameters that the expression uses and that the call gives a constant.
    Values read() {
        const bool is_constructor = call_.callee == function_.parent_type;
        if (!function_.outer_generics.empty()) {
            if (const auto arguments = receiver_arguments(model_, index_, function_))
                add(function_.outer_generics, *arguments, false);
        }
        if (!is_constructor)
            add(function_.generics, call_.generic_arguments, true);
        return std::move(values_);
    }

  private:
    void add(const std::vector<GenericParameter>& generics,
             const std::vector<std::string>& arguments, bool may_be_inferred) {
        if (arguments.size() > generics.size())
            return;
        for (std::size_t i = 0; i < generics.size(); ++i) {
            const GenericParameter& generic = generics[i];
            // A generic parameter of the function hides one of its type.
            if (!generic.is_value || (!may_be_inferred && has_own(generic.name)) ||
                std::find(used_.begin(), used_.end(), generic.name) == used_.end())
                continue;
            std::optional<std::int64_t> value;
            if (i < arguments.size())
                value = constant_value(model_, call_.function, arguments[i]);
            else if (generic.default_value &&
                     !(may_be_inferred && is_inferred(function_, generic.name)))
                value = constant_value(model_, none, *generic.default_value);
            // slangc converts what does not fit.
            const auto type = integer_type(generic.constraint);
            const bool fits =
                value && generic.constraint != "bool" && (!type || type->holds(*value));
            if (fits)
                values_.emplace_back(generic.name, *value);
        }
    }

    bool has_own(const std::string& name) const {
        return std::any_of(function_.generics.begin(), function_.generics.end(),
                           [&](const GenericParameter& own) { return own.name == name; });
    }

    const ModuleModel& model_;
    const Index index_;
    const Call& call_;
    const Function& function_;
    const std::vector<std::string>& used_;
    Values values_;
};

} // namespace

std::vector<SpecialisedTrips> specialised_trips(const ModuleModel& model, Index index,
                                                const TripCount& count) {
    std::vector<SpecialisedTrips> result;
    const Loop& loop = model.loops[index];
    if (count.exact || !count.expression_is_constant || loop.function == none)
        return result;
    const Function& function = model.functions[loop.function];
    if (function.generics.empty() && function.outer_generics.empty())
        return result;
    const auto used = names_in(count.exact_expression);
    const auto type = counter_type(model, loop);
    for (Index i = 0; i < model.calls.size(); ++i) {
        const Call& call = model.calls[i];
        if (!calls(model, call, loop.function))
            continue;
        const Values given = GenericValues(model, i, function, used).read();
        if (given.empty())
            continue;
        const auto trips = evaluate_integer(
            count.exact_expression, [&](std::string_view name) -> std::optional<ConstantName> {
                for (const auto& [generic, value] : given) {
                    if (generic == name)
                        return ConstantName{true, std::to_string(value)};
                }
                // Another name of the expression: its value where the loop stands.
                const auto value = constant_value(model, loop.function, std::string(name));
                return value ? std::optional(ConstantName{true, std::to_string(*value)})
                             : std::nullopt;
            });
        // As unsigned, a negative end is a huge one.
        if (!trips || (*trips < 0 && (!type || type->is_unsigned())))
            continue;
        std::string arguments;
        for (const auto& [name, value] : given)
            arguments += fmt::format("{}{} = {}", arguments.empty() ? "" : ", ", name, value);
        result.push_back({arguments, std::max<std::int64_t>(*trips, 0), i});
    }
    return result;
}

} // namespace slimgrad
