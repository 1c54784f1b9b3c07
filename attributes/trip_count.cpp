#include "attributes/trip_count.h"

#include "attributes/constants.h"
#include "attributes/expression_text.h"
#include "attributes/input_expression.h"
#include "attributes/upper_bound.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

namespace slimgrad {

namespace {

/// Whether running the macro may write something: it holds an assignment, ++ or --, or another
/// macro that does.
bool may_write(const ModuleModel& model, const std::string& name, int depth) {
    for (const MacroDefinition& macro : model.macros) {
        if (macro.name != name)
            continue;
        const std::string& body = macro.body;
        for (std::size_t i = 0; i < body.size(); ++i) {
            const std::string_view two = std::string_view(body).substr(i, 2);
            const char before = i > 0 ? body[i - 1] : ' ';
            const bool shift = i > 1 && (before == '<' || before == '>') && body[i - 2] == before;
            if (two == "++" || two == "--" ||
                (body[i] == '=' && two != "==" &&
                 (shift || std::string_view("=<>!").find(before) == std::string_view::npos)))
                return true;
        }
        for (const std::string& inner : names_in(body)) {
            if (depth > 8 || (inner != name && may_write(model, inner, depth + 1)))
                return true;
        }
    }
    return false;
}

/// A macro in the function's body that may write, or "".
std::string writing_macro(const ModuleModel& model, Index function) {
    const Function& f = model.functions[function];
    if (model.macros.empty() || !f.body)
        return "";
    for (const std::string& name : names_in(model.text({f.site.file, *f.body}))) {
        if (model.find_macro(name) && may_write(model, name, 0))
            return name;
    }
    return "";
}

/// Runs of a loop with known start, end and step; nothing where it need not end.
std::optional<std::int64_t> count(std::string_view comparison, std::int64_t start, std::int64_t end,
                                  std::int64_t step) {
    if (step == 0 || std::abs(start) > INT32_MAX || std::abs(end) > INT32_MAX ||
        std::abs(step) > INT32_MAX)
        return std::nullopt;
    std::int64_t distance = step > 0 ? end - start : start - end;
    const std::int64_t stride = std::abs(step);
    if (comparison == "<=" || comparison == ">=")
        ++distance;
    else if (comparison == "!=" && distance % stride != 0)
        return std::nullopt;
    if ((step > 0) !=
        (comparison == "<" || comparison == "<=" || (comparison == "!=" && end >= start)))
        return std::nullopt;
    return std::max<std::int64_t>(0, (distance + stride - 1) / stride);
}

/// "N" for `0; i < N; ++i`, "N + 1" for `<=`.
std::string counting_expression(const Loop& loop, std::optional<std::int64_t> start,
                                std::optional<std::int64_t> step) {
    if (start != 0 || step != 1 || loop.end.empty())
        return "";
    if (loop.comparison == "<" || loop.comparison == "!=")
        return loop.end;
    if (loop.comparison != "<=")
        return "";
    const bool simple = std::all_of(loop.end.begin(), loop.end.end(), is_name);
    return simple ? loop.end + " + 1" : "(" + loop.end + ") + 1";
}

/// How often the loop's update writes its counter: once, if the loop counts.
std::ptrdiff_t writes_in_update(const ModuleModel& model, const Loop& loop) {
    return std::count_if(model.accesses.begin(), model.accesses.end(), [&](const Access& access) {
        return access.function == loop.function && access.name == loop.counter &&
               access.kind != AccessKind::read && loop.update &&
               access.site.file == loop.site.file && loop.update->contains(access.site.range);
    });
}

} // namespace

bool same_expression(std::string_view a, std::string_view b) {
    return compact(a) == compact(b);
}

bool has_macro_attribute(const Loop& loop) {
    return std::any_of(loop.attributes.begin(), loop.attributes.end(),
                       [](const Attribute& a) { return a.from_macro; });
}

const Attribute* bound_attribute(const Loop& loop) {
    for (const Attribute& attribute : loop.attributes) {
        if (attribute.name == "MaxIters" && attribute.arguments.size() == 1)
            return &attribute;
    }
    return nullptr;
}

TripCount trip_count(const ModuleModel& model, Index index, const Promises& promises) {
    const Loop& loop = model.loops[index];
    TripCount result;
    if (loop.kind != LoopKind::for_loop || loop.counter.empty() || loop.comparison.empty() ||
        loop.step.empty()) {
        result.why_unknown = "it is not a counted for loop";
        result.is_input = true;
        return result;
    }
    if (loop.counter_is_float)
        result.why_unknown = "its counter is a floating-point number";
    else if (loop.counter_written_in_body || writes_in_update(model, loop) != 1)
        result.why_unknown = fmt::format("its body writes '{}'", loop.counter);
    else if (const std::string macro = writing_macro(model, loop.function); !macro.empty())
        result.why_unknown = fmt::format("the macro {} in '{}' may write what it depends on", macro,
                                         model.functions[loop.function].name);
    if (!result.why_unknown.empty()) {
        result.is_input = true;
        return result;
    }
    ConstantTraits traits;
    const auto start = constant_value(model, loop.function, loop.start, traits);
    const auto end = constant_value(model, loop.function, loop.end, traits);
    const auto step = constant_value(model, loop.function, loop.step, traits);
    result.uses_macro = traits.has_macro;
    if (start && end && step)
        result.exact = count(loop.comparison, *start, *end, *step);
    result.exact_expression = counting_expression(loop, start, step);
    result.expression_is_constant =
        !result.exact_expression.empty() && is_constant_expression(model, loop.function, loop.end);
    if (result.exact) {
        result.upper = result.exact;
        result.upper_from = "the loop's own constants";
        return result;
    }
    if (result.expression_is_constant)
        return result;
    result.is_input = true;
    const bool rising = loop.comparison == "<" || loop.comparison == "<=";
    if (start && step && rising && *step > 0) {
        UpperBound upper(model, promises);
        const bool unsigned_counter =
            loop.counter_local != none && model.locals[loop.counter_local].type.starts_with("uint");
        const auto bound = upper.of(loop.end, loop.function, loop.site);
        result.from_callers = bound && bound->from_callers;
        result.uses_macro = result.uses_macro || upper.traits.has_macro;
        // Compared with an unsigned counter, a negative bound is a huge one.
        if (bound && (!unsigned_counter || bound->minimum.value_or(-1) >= 0)) {
            result.upper = count(loop.comparison, *start, bound->value, *step);
            result.upper_from = bound->from;
            result.upper_is_promised = bound->promised;
            if (bound->minimum.value_or(0) > 0)
                result.lowest = std::uint64_t(
                    count(loop.comparison, *start, *bound->minimum, *step).value_or(0));
            if (bound->exact && result.upper) {
                result.exact = result.upper;
                result.is_input = false;
            }
        }
    }
    result.computed = is_computed(model, loop.end, loop.function);
    if (!result.computed)
        result.input = input_of(model, loop.end, loop.function);
    if (!result.upper)
        result.why_unknown = fmt::format("nothing bounds '{}'", loop.end);
    return result;
}

} // namespace slimgrad
