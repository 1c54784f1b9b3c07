#include "attributes/trip_count.h"

#include "attributes/expression_text.h"
#include "attributes/memory_roots.h"
#include "rewriter/integer_expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

namespace slimgrad {

namespace {

bool is_generic(const ModuleModel& model, Index function, std::string_view name) {
    if (function == none)
        return false;
    const auto& generics = model.functions[function].generics;
    return std::any_of(generics.begin(), generics.end(), [&](const GenericParameter& g) { return g.name == name; });
}

/// The local variable of this name that is visible at `offset`: the last one declared before it. Scopes are not
/// followed, so two locals of one name in one function are nobody.
const LocalVariable* find_local(const ModuleModel& model, Index function, std::string_view name) {
    const LocalVariable* found = nullptr;
    for (const LocalVariable& local : model.locals) {
        if (local.function != function || local.name != name)
            continue;
        if (found)
            return nullptr;
        found = &local;
    }
    return found;
}

bool is_local_name(const ModuleModel& model, Index function, std::string_view name) {
    return std::any_of(model.locals.begin(), model.locals.end(), [&](const LocalVariable& local) {
        return local.function == function && local.name == name;
    });
}

const Parameter* find_parameter(const ModuleModel& model, Index function, std::string_view name, std::uint32_t& index) {
    if (function == none)
        return nullptr;
    const auto& parameters = model.functions[function].parameters;
    for (index = 0; index < parameters.size(); ++index) {
        if (parameters[index].name == name)
            return &parameters[index];
    }
    return nullptr;
}

/// What was met while an expression was evaluated.
struct Traits {
    bool has_unsigned = false;
    bool has_macro = false;
};

/// Whether a constant of this type keeps every value that fits 32 bits; notes unsigned ones, whose arithmetic wraps around.
bool keeps_values(std::string_view type, Traits& traits) {
    constexpr std::string_view wide[] = {"int", "uint", "int32_t", "uint32_t", "int64_t", "uint64_t", "let", "var", ""};
    traits.has_unsigned = traits.has_unsigned || type.starts_with("uint");
    return std::find(std::begin(wide), std::end(wide), trimmed(type)) != std::end(wide);
}

std::optional<ConstantName> constant_name(const ModuleModel& model, Index function, std::string_view name, Traits& traits) {
    std::uint32_t index = 0;
    if (find_parameter(model, function, name, index) || is_generic(model, function, name))
        return std::nullopt;
    const auto globals = std::count_if(model.globals.begin(), model.globals.end(), [&](const auto& g) { return g.name == name; });
    if (is_local_name(model, function, name)) {
        const LocalVariable* local = find_local(model, function, name);
        // Scopes are not followed: a name that also means something outside the function may mean that here.
        if (!local || !local->initializer || local->reassigned || globals > 0 || model.find_macro(name) ||
            !keeps_values(local->type, traits))
            return std::nullopt;
        return ConstantName{true, std::string(model.text(*local->initializer))};
    }
    if (const GlobalVariable* global = model.find_global(name)) {
        if (global->kind != GlobalKind::constant || !global->initializer || globals > 1 || !keeps_values(global->type, traits))
            return std::nullopt;
        return ConstantName{true, *global->initializer};
    }
    traits.has_macro = true;
    // A macro that is defined again has another value elsewhere.
    const MacroDefinition* macro = model.find_macro(name);
    if (!macro || macro->function_like ||
        std::any_of(model.macros.begin(), model.macros.end(),
                    [&](const MacroDefinition& m) { return m.name == name && m.body != macro->body; }))
        return std::nullopt;
    return ConstantName{true, macro->body};
}

/// All names of the expression are literals, constants, macros or generic values.
bool is_constant_expression(const ModuleModel& model, Index function, std::string_view expression) {
    for (const std::string& name : names_in(expression)) {
        if (name == "int" || name == "uint" || name == "max" || name == "min")
            continue;
        if (is_generic(model, function, name) || model.find_type(name))
            continue; // `N`, or `T` and `S` of `T.count`, which only a constant can be
        Traits traits;
        const auto constant = constant_name(model, function, name, traits);
        // A local's initializer is not in scope of an attribute of its loop; only file-level constants and macros are.
        if (!constant || is_local_name(model, function, name))
            return false;
    }
    return !expression.empty();
}

std::optional<std::int64_t> value_of(const ModuleModel& model, Index function, const std::string& expression, Traits& traits) {
    const auto lookup = [&](std::string_view name) { return constant_name(model, function, name, traits); };
    auto value = evaluate_integer(expression, lookup);
    const auto suffix = expression.find_first_of("uU");
    const bool unsigned_literal = suffix != std::string::npos && suffix > 0 && std::isdigit(static_cast<unsigned char>(expression[suffix - 1]));
    if (value && (traits.has_unsigned || unsigned_literal))
        value = evaluate_integer(expression, lookup, true);
    return value && std::abs(*value) <= INT32_MAX ? value : std::nullopt;
}

/// Whether running the macro may write something: it holds an assignment, ++ or --, or another macro that does.
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
                (body[i] == '=' && two != "==" && (shift || std::string_view("=<>!").find(before) == std::string_view::npos)))
                return true;
        }
        for (const std::string& inner : names_in(body)) {
            if (depth > 8 || (inner != name && may_write(model, inner, depth + 1)))
                return true;
        }
    }
    return false;
}

bool has_out_parameter(const Function& function) {
    return std::any_of(function.parameters.begin(), function.parameters.end(), [](const Parameter& p) {
        return std::find(p.modifiers.begin(), p.modifiers.end(), "out") != p.modifiers.end();
    });
}

bool is_unsigned_name(const ModuleModel& model, Index function, const std::string& name) {
    std::uint32_t index = 0;
    if (const Parameter* parameter = find_parameter(model, function, name, index))
        return parameter->type.starts_with("uint");
    if (is_local_name(model, function, name)) {
        const LocalVariable* local = find_local(model, function, name);
        return local && local->type.starts_with("uint");
    }
    const GlobalVariable* global = model.find_global(name);
    return global && global->type.starts_with("uint");
}

/// Upper bounds of integer expressions, followed through locals and the arguments of all calls.
class UpperBound {
  public:
    UpperBound(const ModuleModel& model, const Promises& promises) : model_(model), promises_(promises) {}

    struct Bound {
        std::int64_t value = 0;
        bool promised = false; ///< by a configured range
        bool exact = false;    ///< always this value
        std::optional<std::int64_t> minimum = {}; ///< never less than this
        std::string from;
    };

    Traits traits;             ///< of all that was evaluated
    bool from_callers = false; ///< some bound is a call's argument

    std::optional<Bound> of(std::string expression, Index function, Site site) {
        if (++steps_ > 200)
            return std::nullopt;
        expression = compact(expression);
        if (const auto value = value_of(model_, function, expression, traits))
            return Bound{*value, false, true, *value, fmt::format("{} at {}", expression, short_place(model_, site))};
        for (std::string_view cast : {"int", "uint"}) {
            std::optional<Bound> inner;
            if (const auto arguments = call_arguments(expression, cast); arguments && arguments->size() == 1)
                inner = of((*arguments)[0], function, site);
            else if (const std::string prefix = fmt::format("({})", cast); expression.starts_with(prefix)) // "(int)x"
                inner = of(expression.substr(prefix.size()), function, site);
            else
                continue;
            // A negative value becomes a huge one.
            if (cast == "uint" && inner && inner->minimum.value_or(-1) < 0)
                return std::nullopt;
            return inner;
        }
        if (const auto arguments = call_arguments(expression, "min"); arguments && arguments->size() == 2) {
            const auto a = of((*arguments)[0], function, site);
            const auto b = of((*arguments)[1], function, site);
            auto bound = !a ? b : !b ? a : (a->value <= b->value ? a : b);
            if (bound) {
                bound->exact = a && b && a->exact && b->exact;
                // In unsigned arithmetic nothing is below 0, and what wrapped around is huge: the smaller one still is.
                if (is_unsigned((*arguments)[0], function) || is_unsigned((*arguments)[1], function))
                    bound->minimum = 0;
                else if (a && b && a->minimum && b->minimum)
                    bound->minimum = std::min(*a->minimum, *b->minimum);
                else
                    bound->minimum = std::nullopt;
            }
            return named(bound, expression, site);
        }
        if (const auto arguments = call_arguments(expression, "max"); arguments && arguments->size() == 2) {
            const auto a = of((*arguments)[0], function, site);
            const auto b = of((*arguments)[1], function, site);
            auto bound = a && b ? (a->value >= b->value ? a : b) : std::nullopt;
            if (bound) {
                bound->exact = a->exact && b->exact;
                bound->minimum = std::max(a->minimum.value_or(INT32_MIN), b->minimum.value_or(INT32_MIN));
            }
            return bound;
        }
        if (const auto arguments = call_arguments(expression, "clamp"); arguments && arguments->size() == 3)
            return clamped(named(of((*arguments)[2], function, site), expression, site),
                           value_of(model_, function, (*arguments)[1], traits));
        if (const auto sum = sum_of(expression)) {
            const auto a = of(sum->first, function, site);
            const bool minus = expression[sum->first.size()] == '-';
            // A difference of unsigned values may wrap around.
            if (minus && (!a || a->minimum.value_or(-1) < 0))
                return std::nullopt;
            if (const auto constant = value_of(model_, function, sum->second, traits); constant && minus) {
                if (*a->minimum < *constant && *constant > 0 && (is_unsigned(sum->first, function) || is_unsigned(sum->second, function)))
                    return std::nullopt;
                return Bound{a->value - *constant, a->promised, false, *a->minimum - *constant, a->from};
            }
            const auto b = minus ? std::nullopt : of(sum->second, function, site);
            if (a && b)
                return Bound{a->value + b->value, a->promised || b->promised, false,
                             a->minimum && b->minimum ? std::optional(*a->minimum + *b->minimum) : std::nullopt,
                             fmt::format("{} at {}", expression, short_place(model_, site))};
            return std::nullopt;
        }
        if (const auto range = promises_.ranges.find(expression); range != promises_.ranges.end() && !is_own_name(expression, function))
            return Bound{std::int64_t(std::floor(range->second.maximum)), true, false,
                         std::int64_t(std::ceil(range->second.minimum)), fmt::format("the configured range of {}", expression)};
        return of_name(expression, function);
    }

  private:
    std::optional<Bound> named(std::optional<Bound> bound, const std::string& expression, Site site) const {
        if (bound && !bound->promised)
            bound->from = fmt::format("{} at {}", expression, short_place(model_, site));
        return bound;
    }

    /// Whether the expression is an unsigned literal or name.
    bool is_unsigned(const std::string& expression, Index function) const {
        const bool literal = !expression.empty() && std::isdigit(static_cast<unsigned char>(expression[0]));
        return literal ? expression.find_first_of("uU") != std::string::npos : is_unsigned_name(model_, function, expression);
    }

    static std::optional<Bound> clamped(std::optional<Bound> bound, std::optional<std::int64_t> minimum) {
        if (bound) {
            bound->exact = false;
            bound->minimum = minimum;
        }
        return bound;
    }

    /// "a + b" and "a - 3" of "a + b" and "a - 3"; nothing where no sum is outermost.
    static std::optional<std::pair<std::string, std::string>> sum_of(const std::string& expression) {
        int depth = 0;
        for (std::size_t i = expression.size(); i-- > 1;) {
            depth += expression[i] == ')' || expression[i] == ']' ? 1 : expression[i] == '(' || expression[i] == '[' ? -1 : 0;
            const bool after_operand = is_name(expression[i - 1]) || expression[i - 1] == ')' || expression[i - 1] == ']';
            if (depth == 0 && after_operand && (expression[i] == '+' || expression[i] == '-'))
                return std::pair(expression.substr(0, i), expression.substr(i + 1));
        }
        return std::nullopt;
    }

    /// Whether the expression begins with a parameter or local variable of the function, which hides an input of that name.
    bool is_own_name(const std::string& expression, Index function) const {
        std::size_t length = 0;
        while (length < expression.size() && is_name(expression[length]))
            ++length;
        const std::string name = expression.substr(0, length);
        std::uint32_t index = 0;
        return is_local_name(model_, function, name) ||
               (find_parameter(model_, function, name, index) && !MemoryTracer(model_).is_entry_point(function));
    }

    std::optional<Bound> of_name(const std::string& name, Index function) {
        if (name.empty() || !std::all_of(name.begin(), name.end(), is_name))
            return std::nullopt;
        if (is_local_name(model_, function, name)) {
            const LocalVariable* local = find_local(model_, function, name);
            // As for constants: what also means something outside the function may mean that here.
            if (!local || !local->initializer || local->reassigned || model_.find_global(name) || model_.find_macro(name))
                return std::nullopt;
            return of(std::string(model_.text(*local->initializer)), function, *local->initializer);
        }
        std::uint32_t index = 0;
        if (const Parameter* parameter = find_parameter(model_, function, name, index))
            return of_parameter(*parameter, index, function);
        return std::nullopt;
    }

    std::optional<Bound> of_parameter(const Parameter& parameter, std::uint32_t index, Index function) {
        const Function& callee = model_.functions[function];
        // Overloads share a name, and an exported function, an entry point or one in an included file may be called from elsewhere.
        if (model_.find_functions(callee.name).size() != 1 || !callee.parent_type.empty() || callee.site.file != 0)
            return std::nullopt;
        for (std::string_view modifier : {"out", "inout"}) {
            if (std::find(parameter.modifiers.begin(), parameter.modifiers.end(), modifier) != parameter.modifiers.end())
                return std::nullopt;
        }
        if (MemoryTracer(model_).is_entry_point(function))
            return std::nullopt;
        for (std::string_view modifier : {"public", "export", "extern"}) {
            if (std::find(callee.modifiers.begin(), callee.modifiers.end(), modifier) != callee.modifiers.end())
                return std::nullopt;
        }
        // Written inside the function: the argument says nothing.
        for (const Access& access : model_.accesses) {
            if (access.function == function && access.name == parameter.name && access.kind != AccessKind::read)
                return std::nullopt;
        }
        from_callers = true;
        std::optional<Bound> largest;
        for (const Call& call : model_.calls) {
            if (call.callee != callee.name)
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
                minimum = minimum && largest->minimum ? std::optional(std::min(*largest->minimum, *minimum)) : std::nullopt;
            const bool exact = bound->exact && (!largest || (largest->exact && largest->value == bound->value));
            if (!largest || bound->value > largest->value)
                largest = bound;
            largest->exact = exact;
            largest->minimum = minimum;
        }
        return largest;
    }

    const ModuleModel& model_;
    const Promises& promises_;
    int steps_ = 0;
    int depth_ = 0;
};

std::optional<std::int64_t> count(std::string_view comparison, std::int64_t start, std::int64_t end, std::int64_t step) {
    if (step == 0 || std::abs(start) > INT32_MAX || std::abs(end) > INT32_MAX || std::abs(step) > INT32_MAX)
        return std::nullopt;
    std::int64_t distance = step > 0 ? end - start : start - end;
    const std::int64_t stride = std::abs(step);
    if (comparison == "<=" || comparison == ">=")
        ++distance;
    else if (comparison == "!=" && distance % stride != 0)
        return std::nullopt;
    if ((step > 0) != (comparison == "<" || comparison == "<=" || (comparison == "!=" && end >= start)))
        return std::nullopt;
    return std::max<std::int64_t>(0, (distance + stride - 1) / stride);
}

/// "N" for `0; i < N; ++i`, "N + 1" for `<=`.
std::string counting_expression(const Loop& loop, std::optional<std::int64_t> start, std::optional<std::int64_t> step) {
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
        return access.function == loop.function && access.name == loop.counter && access.kind != AccessKind::read && loop.update &&
               access.site.file == loop.site.file && loop.update->contains(access.site.range);
    });
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

/// Whether the expression does arithmetic on an input, so that it may skip numbers. min, max, clamp and casts do not, nor do
/// names, followed to their initializers and arguments.
bool is_computed(const ModuleModel& model, const std::string& expression, Index function, int depth) {
    if (depth > 8)
        return true;
    const std::string text = compact(expression);
    int brackets = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        brackets += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
        if (brackets == 0 && std::string_view("+-*/%<>&|^?").find(text[i]) != std::string_view::npos && i > 0 && text[i - 1] != '(' &&
            text[i - 1] != ',')
            return true;
    }
    for (const std::string& name : names_in(text)) {
        if (const LocalVariable* local = find_local(model, function, name); local && local->initializer &&
            is_computed(model, std::string(model.text(*local->initializer)), function, depth + 1))
            return true;
        std::uint32_t index = 0;
        if (!find_parameter(model, function, name, index))
            continue;
        for (const Call& call : model.calls) {
            if (call.callee == model.functions[function].name && index < call.arguments.size() && call.function != none &&
                is_computed(model, std::string(model.text(call.arguments[index])), call.function, depth + 1))
                return true;
        }
    }
    return false;
}

/// The input behind an expression without arithmetic: "outb[1]" of `min(int(outb[1]), 8)`, "params.count" of a local or
/// parameter that is set from it. "" where it is none, or differs between calls.
std::string input_of(const ModuleModel& model, const std::string& expression, Index function, int depth) {
    const std::string text = compact(expression);
    const auto names = names_in(text);
    if (names.empty() || depth > 8)
        return "";
    const std::string& head = names.front();
    const bool at_head = text.starts_with(head);
    if (at_head && text.size() > head.size() && text[head.size()] == '(') {
        // A cast, min, max or clamp: its first argument that is an input.
        std::string found;
        int brackets = 0;
        std::size_t begin = head.size() + 1;
        for (std::size_t i = begin; i < text.size() && found.empty(); ++i) {
            if ((text[i] == ',' || i + 1 == text.size()) && brackets == 0) {
                found = input_of(model, text.substr(begin, i - begin), function, depth + 1);
                begin = i + 1;
            }
            brackets += text[i] == '(' || text[i] == '[' ? 1 : text[i] == ')' || text[i] == ']' ? -1 : 0;
        }
        return found;
    }
    if (!at_head)
        return text.starts_with('(') ? input_of(model, text.substr(text.find(')') + 1), function, depth + 1) : "";
    if (is_local_name(model, function, head)) {
        const LocalVariable* local = find_local(model, function, head);
        return local && local->initializer && !local->reassigned && text == head
                   ? input_of(model, std::string(model.text(*local->initializer)), function, depth + 1)
                   : "";
    }
    std::uint32_t index = 0;
    if (find_parameter(model, function, head, index)) {
        if (MemoryTracer(model).is_entry_point(function))
            return text;
        std::string found;
        for (const Call& call : model.calls) {
            if (text != head || call.callee != model.functions[function].name || index >= call.arguments.size() || call.function == none)
                continue;
            const std::string input = input_of(model, std::string(model.text(call.arguments[index])), call.function, depth + 1);
            if (!found.empty() && input != found)
                return "";
            found = input;
        }
        return found;
    }
    const GlobalVariable* global = model.find_global(head);
    if (!global || global->kind == GlobalKind::constant)
        return "";
    // One element by a literal index; another index is some element of a buffer of integers.
    const auto bracket = text.find('[');
    if (bracket == std::string::npos || text.find_first_not_of("0123456789uU", bracket + 1) + 1 == text.size())
        return text;
    return global->type.find("<int>") != std::string::npos || global->type.find("<uint>") != std::string::npos ? head : "";
}

} // namespace

std::optional<std::int64_t> constant_value(const ModuleModel& model, Index function, const std::string& expression) {
    Traits traits;
    return value_of(model, function, expression, traits);
}

bool same_expression(std::string_view a, std::string_view b) { return compact(a) == compact(b); }

bool has_macro_attribute(const Loop& loop) {
    return std::any_of(loop.attributes.begin(), loop.attributes.end(), [](const Attribute& a) { return a.from_macro; });
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
    if (loop.kind != LoopKind::for_loop || loop.counter.empty() || loop.comparison.empty() || loop.step.empty()) {
        result.why_unknown = "it is not a counted for loop";
        result.is_input = true;
        return result;
    }
    if (loop.counter_is_float)
        result.why_unknown = "its counter is a floating-point number";
    else if (loop.counter_written_in_body || writes_in_update(model, loop) != 1)
        result.why_unknown = fmt::format("its body writes '{}'", loop.counter);
    else if (const std::string macro = writing_macro(model, loop.function); !macro.empty())
        result.why_unknown = fmt::format("the macro {} in '{}' may write what it depends on", macro, model.functions[loop.function].name);
    if (!result.why_unknown.empty()) {
        result.is_input = true;
        return result;
    }
    Traits traits;
    const auto start = value_of(model, loop.function, loop.start, traits);
    const auto end = value_of(model, loop.function, loop.end, traits);
    const auto step = value_of(model, loop.function, loop.step, traits);
    result.uses_macro = traits.has_macro;
    if (start && end && step)
        result.exact = count(loop.comparison, *start, *end, *step);
    result.exact_expression = counting_expression(loop, start, step);
    result.expression_is_constant = !result.exact_expression.empty() &&
                                    is_constant_expression(model, loop.function, loop.end);
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
        const bool unsigned_counter = loop.counter_local != none && model.locals[loop.counter_local].type.starts_with("uint");
        const auto bound = upper.of(loop.end, loop.function, loop.site);
        result.from_callers = upper.from_callers;
        result.uses_macro = result.uses_macro || upper.traits.has_macro;
        // Compared with an unsigned counter, a negative bound is a huge one.
        if (bound && (!unsigned_counter || bound->minimum.value_or(-1) >= 0)) {
            result.upper = count(loop.comparison, *start, bound->value, *step);
            result.upper_from = bound->from;
            result.upper_is_promised = bound->promised;
            if (bound->minimum.value_or(0) > 0)
                result.lowest = std::uint64_t(count(loop.comparison, *start, *bound->minimum, *step).value_or(0));
            if (bound->exact && result.upper) {
                result.exact = result.upper;
                result.is_input = false;
            }
        }
    }
    result.computed = is_computed(model, loop.end, loop.function, 0);
    if (!result.computed)
        result.input = input_of(model, loop.end, loop.function, 0);
    if (!result.upper)
        result.why_unknown = fmt::format("nothing bounds '{}'", loop.end);
    return result;
}

} // namespace slimgrad
