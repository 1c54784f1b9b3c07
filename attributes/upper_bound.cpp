#include "attributes/upper_bound.h"

#include "attributes/entry_point.h"
#include "attributes/expression_text.h"
#include "attributes/function_names.h"
#include "attributes/syntax_error.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace slimgrad {

namespace {

bool has_out_parameter(const Function& function) {
    return std::any_of(
        function.parameters.begin(), function.parameters.end(), [](const Parameter& p) {
            return std::find(p.modifiers.begin(), p.modifiers.end(), "out") != p.modifiers.end();
        });
}

std::optional<UpperBound::Bound> clamped(std::optional<UpperBound::Bound> bound,
                                         std::optional<std::int64_t> minimum) {
    if (bound) {
        bound->exact = false;
        // It is min(max(x, low), high): below `low` where `high` is.
        bound->minimum = minimum && bound->minimum
                             ? std::optional(std::min(*minimum, *bound->minimum))
                             : std::nullopt;
    }
    return bound;
}

/// "a + b" and "a - 3" of "a + b" and "a - 3"; nothing where no sum is outermost.
std::optional<std::pair<std::string, std::string>> sum_of(const std::string& expression) {
    int depth = 0;
    for (std::size_t i = expression.size(); i-- > 1;) {
        depth += expression[i] == ')' || expression[i] == ']'   ? 1
                 : expression[i] == '(' || expression[i] == '[' ? -1
                                                                : 0;
        const bool after_operand =
            is_name(expression[i - 1]) || expression[i - 1] == ')' || expression[i - 1] == ']';
        if (depth == 0 && after_operand && (expression[i] == '+' || expression[i] == '-'))
            return std::pair(expression.substr(0, i), expression.substr(i + 1));
    }
    return std::nullopt;
}

} // namespace

std::optional<UpperBound::Bound> UpperBound::of(std::string expression, Index function, Site site) {
    if (++steps_ > 200)
        return std::nullopt;
    expression = compact(expression);
    if (const auto value = constant_value(model_, function, expression, traits))
        return Bound{*value, false, true, *value,
                     fmt::format("{} at {}", expression, short_place(model_, site))};
    for (std::string_view cast : {"int", "uint"}) {
        std::optional<Bound> inner;
        if (const auto arguments = call_arguments(expression, cast);
            arguments && arguments->size() == 1)
            inner = of((*arguments)[0], function, site);
        else if (const std::string prefix = fmt::format("({})", cast);
                 expression.starts_with(prefix)) // "(int)x"
            inner = of(expression.substr(prefix.size()), function, site);
        else
            continue;
        // A negative value becomes a huge one.
        if (cast == "uint" && inner && inner->minimum.value_or(-1) < 0)
            return std::nullopt;
        return inner;
    }
    if (const auto arguments = call_arguments(expression, "min");
        arguments && arguments->size() == 2) {
        const auto a = of((*arguments)[0], function, site);
        const auto b = of((*arguments)[1], function, site);
        auto bound = !a ? b : !b ? a : (a->value <= b->value ? a : b);
        if (bound) {
            bound->exact = a && b && a->exact && b->exact;
            bound->from_callers = (a && a->from_callers && bound->value == a->value) ||
                                  (b && b->from_callers && bound->value == b->value);
            // In unsigned arithmetic nothing is below 0, and what wrapped around is huge: the
            // smaller one still is.
            if (is_unsigned((*arguments)[0], function) || is_unsigned((*arguments)[1], function))
                bound->minimum = 0;
            else if (a && b && a->minimum && b->minimum)
                bound->minimum = std::min(*a->minimum, *b->minimum);
            else
                bound->minimum = std::nullopt;
        }
        return named(bound, expression, site);
    }
    if (const auto arguments = call_arguments(expression, "max");
        arguments && arguments->size() == 2) {
        const auto a = of((*arguments)[0], function, site);
        const auto b = of((*arguments)[1], function, site);
        auto bound = a && b ? (a->value >= b->value ? a : b) : std::nullopt;
        if (bound) {
            bound->exact = a->exact && b->exact;
            bound->from_callers = a->from_callers || b->from_callers;
            bound->minimum =
                std::max(a->minimum.value_or(INT32_MIN), b->minimum.value_or(INT32_MIN));
        }
        return bound;
    }
    if (const auto arguments = call_arguments(expression, "clamp");
        arguments && arguments->size() == 3)
        return clamped(named(of((*arguments)[2], function, site), expression, site),
                       constant_value(model_, function, (*arguments)[1], traits));
    if (const auto sum = sum_of(expression)) {
        const auto a = of(sum->first, function, site);
        const bool minus = expression[sum->first.size()] == '-';
        // A difference of unsigned values may wrap around.
        if (minus && (!a || a->minimum.value_or(-1) < 0))
            return std::nullopt;
        if (const auto constant = constant_value(model_, function, sum->second, traits);
            constant && minus) {
            if (*a->minimum < *constant && *constant > 0 &&
                (is_unsigned(sum->first, function) || is_unsigned(sum->second, function)))
                return std::nullopt;
            return Bound{a->value - *constant,    a->promised, false,
                         *a->minimum - *constant, a->from,     a->from_callers};
        }
        const auto b = minus ? std::nullopt : of(sum->second, function, site);
        if (a && b)
            return Bound{a->value + b->value,
                         a->promised || b->promised,
                         false,
                         a->minimum && b->minimum ? std::optional(*a->minimum + *b->minimum)
                                                  : std::nullopt,
                         fmt::format("{} at {}", expression, short_place(model_, site)),
                         a->from_callers || b->from_callers};
        return std::nullopt;
    }
    if (const auto range = promises_.ranges.find(expression);
        range != promises_.ranges.end() && !is_own_name(expression, function))
        return Bound{std::int64_t(std::floor(range->second.maximum)), true, false,
                     std::int64_t(std::ceil(range->second.minimum)),
                     fmt::format("the configured range of {}", expression)};
    return of_name(expression, function);
}

std::optional<UpperBound::Bound> UpperBound::named(std::optional<Bound> bound,
                                                   const std::string& expression, Site site) const {
    if (bound && !bound->promised)
        bound->from = fmt::format("{} at {}", expression, short_place(model_, site));
    return bound;
}

bool UpperBound::is_unsigned(const std::string& expression, Index function) const {
    const bool literal =
        !expression.empty() && std::isdigit(static_cast<unsigned char>(expression[0]));
    return literal ? expression.find_first_of("uU") != std::string::npos
                   : is_unsigned_name(model_, function, expression);
}

bool UpperBound::is_own_name(const std::string& expression, Index function) const {
    std::size_t length = 0;
    while (length < expression.size() && is_name(expression[length]))
        ++length;
    const std::string name = expression.substr(0, length);
    std::uint32_t index = 0;
    return is_local_name(model_, function, name) ||
           (find_parameter(model_, function, name, index) &&
            !is_entry_point(model_.functions[function]));
}

std::optional<UpperBound::Bound> UpperBound::of_name(const std::string& name, Index function) {
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_name))
        return std::nullopt;
    if (is_local_name(model_, function, name)) {
        const LocalVariable* local = find_local(model_, function, name);
        // As for constants: what also means something outside the function may mean that here.
        if (!local || !local->initializer || local->reassigned || model_.find_global(name) ||
            model_.find_macro(name) || !keeps_values(local->type, traits))
            return std::nullopt;
        return of(std::string(model_.text(*local->initializer)), function, *local->initializer);
    }
    std::uint32_t index = 0;
    if (const Parameter* parameter = find_parameter(model_, function, name, index))
        return of_parameter(*parameter, index, function);
    return std::nullopt;
}

std::optional<UpperBound::Bound> UpperBound::of_parameter(const Parameter& parameter,
                                                          std::uint32_t index, Index function) {
    // The argument is converted: 260 is 4 for a uint8_t.
    if (!keeps_values(parameter.type, traits))
        return std::nullopt;
    const Function& callee = model_.functions[function];
    // An exported function, an entry point or one in an included file may be called from elsewhere,
    // as any may from text that could not be read.
    if (has_syntax_error(model_) || !callee.parent_type.empty() || callee.site.file != 0)
        return std::nullopt;
    for (std::string_view modifier : {"out", "inout"}) {
        if (std::find(parameter.modifiers.begin(), parameter.modifiers.end(), modifier) !=
            parameter.modifiers.end())
            return std::nullopt;
    }
    if (is_entry_point(callee))
        return std::nullopt;
    for (std::string_view modifier : {"public", "export", "extern"}) {
        if (std::find(callee.modifiers.begin(), callee.modifiers.end(), modifier) !=
            callee.modifiers.end())
            return std::nullopt;
    }
    // Written inside the function: the argument says nothing.
    for (const Access& access : model_.accesses) {
        if (access.function == function && access.name == parameter.name &&
            access.kind != AccessKind::read)
            return std::nullopt;
    }
    std::optional<Bound> largest;
    for (const Call& call : model_.calls) {
        const std::vector<Index> called = model_.callees(call);
        if (std::find(called.begin(), called.end(), function) == called.end())
            continue;
        // A derivative takes no argument for an `out` parameter: positions are not the callee's.
        if (call.kind != CallKind::plain && has_out_parameter(callee))
            return std::nullopt;
        if (call.arguments.size() <= index || ++depth_ > 8)
            return std::nullopt;
        const Site argument = call.arguments[index];
        const auto bound = of(std::string(model_.text(argument)), call.function, argument);
        --depth_;
        if (!bound)
            return std::nullopt;
        auto minimum = bound->minimum;
        if (largest)
            minimum = minimum && largest->minimum
                          ? std::optional(std::min(*largest->minimum, *minimum))
                          : std::nullopt;
        const bool exact =
            bound->exact && (!largest || (largest->exact && largest->value == bound->value));
        if (!largest || bound->value > largest->value)
            largest = bound;
        largest->exact = exact;
        largest->minimum = minimum;
        largest->from_callers = true;
    }
    return largest;
}

} // namespace slimgrad
