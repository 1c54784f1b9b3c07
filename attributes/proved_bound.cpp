#include "attributes/proved_bound.h"

#include "attributes/offset_expression.h"

#include <fmt/format.h>

namespace slimgrad {

std::string proved_bound(const TripCount& trips) {
    if (trips.expression_is_constant && !trips.exact) {
        const auto [text, offset] = with_offset(trips.exact_expression);
        return offset < 0 ? text : trips.exact_expression;
    }
    if (trips.expression_is_constant)
        return trips.exact_expression;
    if (trips.exact)
        return std::to_string(*trips.exact);
    return trips.upper ? std::to_string(*trips.upper) : trips.upper_expression;
}

std::string wrong_in_other_builds(const TripCount& trips) {
    if (!trips.condition.empty())
        return fmt::format("rests on what the directive at {} chooses, which another build may "
                           "choose otherwise",
                           trips.condition);
    return trips.uses_macro && !trips.expression_is_constant
               ? "rests on the value of a macro, which another build may set"
               : "";
}

} // namespace slimgrad
