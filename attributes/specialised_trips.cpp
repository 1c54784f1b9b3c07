#include "attributes/specialised_trips.h"

#include "attributes/constants.h"
#include "attributes/expression_text.h"
#include "rewriter/integer_expression.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace slimgrad {

std::vector<SpecialisedTrips> specialised_trips(const ModuleModel& model, Index index,
                                                const TripCount& count) {
    std::vector<SpecialisedTrips> result;
    const Loop& loop = model.loops[index];
    if (count.exact || !count.expression_is_constant || loop.function == none)
        return result;
    const Function& function = model.functions[loop.function];
    const auto used = names_in(count.exact_expression);
    // Overloads share a name: a call could mean another one.
    if (function.generics.empty() || model.find_functions(function.name).size() != 1)
        return result;
    for (Index i = 0; i < model.calls.size(); ++i) {
        const Call& call = model.calls[i];
        if (call.callee != function.name ||
            call.generic_arguments.size() > function.generics.size())
            continue;
        std::map<std::string, std::string, std::less<>> given;
        std::string arguments;
        for (std::size_t g = 0; g < call.generic_arguments.size(); ++g) {
            const std::string& name = function.generics[g].name;
            if (!function.generics[g].is_value ||
                std::find(used.begin(), used.end(), name) == used.end())
                continue;
            const auto value = constant_value(model, call.function, call.generic_arguments[g]);
            if (!value)
                continue;
            given[name] = std::to_string(*value);
            arguments += fmt::format("{}{} = {}", arguments.empty() ? "" : ", ", name, *value);
        }
        if (given.empty())
            continue;
        const auto trips = evaluate_integer(
            count.exact_expression, [&](std::string_view name) -> std::optional<ConstantName> {
                if (const auto found = given.find(name); found != given.end())
                    return ConstantName{true, found->second};
                // Another name of the expression: its value where the loop stands.
                const auto value = constant_value(model, loop.function, std::string(name));
                return value ? std::optional(ConstantName{true, std::to_string(*value)})
                             : std::nullopt;
            });
        if (trips)
            result.push_back({arguments, std::max<std::int64_t>(*trips, 0), i});
    }
    return result;
}

} // namespace slimgrad
