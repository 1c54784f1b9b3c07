#include "attributes/integer_range.h"

#include "attributes/constant_call.h"
#include "attributes/entry_point.h"
#include "attributes/expression_text.h"
#include "attributes/function_names.h"
#include "attributes/macro_risk.h"
#include "attributes/range_arithmetic.h"
#include "attributes/syntax_error.h"
#include "attributes/unwritten_static.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace slimgrad {

namespace {

constexpr int most_steps = 400;
constexpr int deepest = 24; ///< definitions and arguments followed one after the other

bool has(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_written(const Parameter& parameter) {
    return has(parameter.modifiers, "out") || has(parameter.modifiers, "inout") ||
           has(parameter.modifiers, "ref");
}

bool has_written_parameter(const Function& function) {
    return std::any_of(function.parameters.begin(), function.parameters.end(), is_written);
}

bool is_plain_name(std::string_view text) {
    return !text.empty() && is_name_start(text[0]) &&
           std::all_of(text.begin(), text.end(), is_name);
}

/// "int" and "x" of "int(x)" and of "(int)x".
std::optional<std::pair<IntegerType, std::string>> cast_of(const std::string& expression) {
    const bool prefix = expression.starts_with('(');
    const auto end = expression.find_first_of(prefix ? ")" : "(");
    if (end == std::string::npos)
        return std::nullopt;
    const auto type = integer_type(std::string_view(expression).substr(prefix, end - prefix));
    if (!type)
        return std::nullopt;
    if (prefix)
        // A cast binds to what follows it alone: "(int)a+b" is a sum.
        return split_operation(expression)
                   ? std::nullopt
                   : std::optional(std::pair(*type, expression.substr(end + 1)));
    const auto arguments = call_arguments(expression, expression.substr(0, end));
    return arguments && arguments->size() == 1 ? std::optional(std::pair(*type, (*arguments)[0]))
                                               : std::nullopt;
}

} // namespace

IntegerRange IntegerRanges::of(const std::string& expression, Index function, Site site) {
    const std::string text = without_macro(model_, expression);
    traits.has_macro = traits.has_macro || text != expression;
    return read(without_calls(text, function, site), function, site);
}

std::string IntegerRanges::without_calls(const std::string& expression, Index function, Site site) {
    std::string text = compact(expression);
    // What is written elsewhere, in a macro, may name other variables.
    if (text.find('(') == std::string::npos || text != compact(model_.text(site)))
        return expression;
    bool is_changed = false;
    for (Index i = 0; i < model_.calls.size(); ++i) {
        const Call& call = model_.calls[i];
        if (call.function != function || call.site.file != site.file ||
            !site.range.contains(call.site.range))
            continue;
        const auto result = constant_result(model_, i, traits);
        const std::string written = compact(model_.text(call.site));
        for (auto at = text.find(written); result && at != std::string::npos;
             at = text.find(written, at + result->size())) {
            const bool is_whole = at == 0 || (!is_name(text[at - 1]) && text[at - 1] != '.');
            if (is_whole)
                text.replace(at, written.size(), *result);
            else
                at += written.size() - result->size();
            is_changed = is_changed || is_whole;
        }
    }
    return is_changed ? text : expression;
}

IntegerRange IntegerRanges::read(const std::string& written, Index function, Site site) {
    if (++steps_ > most_steps || calls_own_function(model_, function, written))
        return {};
    const std::string expression = compact(written);
    if (const auto value = constant(expression, function, site)) {
        IntegerRange range = range_of(*value);
        range.from = place(expression, site);
        return range;
    }
    if (const auto range = of_cast(expression, function, site))
        return *range;
    if (const auto range = of_call(expression, function, site))
        return *range;
    if (const auto range = of_operation(expression, function, site))
        return *range;
    if (const auto range = promised(expression, function, site, false))
        return *range;
    return is_plain_name(expression) ? of_name(expression, function, site)
                                     : of_path(expression, function, site);
}

/// Of "params.count", "counts[i]" and "tensor.size(0)" the type alone.
IntegerRange IntegerRanges::of_path(const std::string& expression, Index function,
                                    Site site) const {
    if (first_name(expression).empty())
        return {};
    for (const Access& access : model_.accesses) {
        if (access.function != function || access.site.file != site.file ||
            !site.range.contains(access.site.range) ||
            compact(model_.text(access.site)) != expression)
            continue;
        const auto type = integer_type(model_.type_of(access.site));
        return type ? range_of(*type) : IntegerRange{};
    }
    for (const Call& call : model_.calls) {
        if (call.function != function || call.site.file != site.file ||
            !site.range.contains(call.site.range) || compact(model_.text(call.site)) != expression)
            continue;
        const auto type = integer_type(model_.type_of(call.site));
        return type ? range_of(*type) : IntegerRange{};
    }
    return {};
}

/// Of literals and of constants outside of functions.
std::optional<IntegerValue> IntegerRanges::constant(const std::string& expression, Index function,
                                                    Site site) {
    return evaluate_typed(
        expression, [&](std::string_view name) { return constant_name(name, function, site); });
}

std::optional<ConstantName> IntegerRanges::constant_name(std::string_view name, Index function,
                                                         Site site) {
    const std::string_view head = name.substr(0, name.find_first_of(".["));
    const auto use = flows_.find(function, head, site);
    const bool is_variable = use && (!use->variable || use->variable->kind == VariableKind::local ||
                                     use->variable->kind == VariableKind::parameter ||
                                     use->variable->kind == VariableKind::field);
    if (is_variable) {
        const Variable* variable = use->variable;
        if (head == name || !variable || variable->kind != VariableKind::local ||
            variable->index == none)
            return std::nullopt;
        // An array that is never written.
        const LocalVariable& local = model_.locals[variable->index];
        return local.initializer && !local.reassigned
                   ? array_constant(name, local.type, model_.text(*local.initializer))
                   : std::nullopt;
    }
    // In a macro's text: what is no variable in all of the function.
    std::uint32_t index = 0;
    if (!use &&
        (is_local_name(model_, function, head) || find_parameter(model_, function, head, index)))
        return std::nullopt;
    return global_constant(model_, function, name, traits);
}

std::optional<IntegerRange> IntegerRanges::of_cast(const std::string& expression, Index function,
                                                   Site site) {
    const auto cast = cast_of(expression);
    if (!cast)
        return std::nullopt;
    if (const auto range = promised(compact(cast->second), function, site, true))
        return converted(*range, cast->first);
    return converted(read(cast->second, function, site), cast->first);
}

std::optional<IntegerRange> IntegerRanges::of_call(const std::string& expression, Index function,
                                                   Site site) {
    const auto at = [&](const std::vector<std::string>& arguments, std::size_t i) {
        return read(arguments[i], function, site);
    };
    std::optional<IntegerRange> range;
    if (const auto a = call_arguments(expression, "min"); a && a->size() == 2)
        range = smaller(at(*a, 0), at(*a, 1));
    else if (const auto b = call_arguments(expression, "max"); b && b->size() == 2)
        range = larger(at(*b, 0), at(*b, 1));
    else if (const auto c = call_arguments(expression, "clamp"); c && c->size() == 3)
        range = clamped(at(*c, 0), at(*c, 1), at(*c, 2));
    // What follows from more than its constants has their reason.
    if (range && !range->from_callers && !range->follows_loop && !range->promised)
        range->from = place(expression, site);
    return range;
}

std::optional<IntegerRange> IntegerRanges::of_operation(const std::string& expression,
                                                        Index function, Site site) {
    const auto parts = split_operation(expression);
    if (!parts)
        return std::nullopt;
    const IntegerRange left = read(parts->left, function, site);
    const IntegerRange right = read(parts->right, function, site);
    IntegerRange range = operation(left, parts->op, right);
    const std::string& reason = left.is_exact() && !left.from_callers ? right.from : left.from;
    range.from = place(expression, site);
    if ((range.from_callers || range.follows_loop || range.promised) && !reason.empty())
        range.from += ", from " + reason;
    return range;
}

/// What slimgrad.toml says of an input. Of one that may be a fraction the next integers.
std::optional<IntegerRange> IntegerRanges::promised(const std::string& expression, Index function,
                                                    Site site, bool is_integer) {
    const auto found = promises_.ranges.find(expression);
    if (found == promises_.ranges.end())
        return std::nullopt;
    // A parameter or local variable hides an input of that name.
    const std::string name = first_name(expression);
    const auto use = flows_.find(function, name, site);
    const bool is_argument = use && use->variable &&
                             use->variable->kind == VariableKind::parameter &&
                             !is_entry_point(model_.functions[function]);
    if (is_argument || is_local_name(model_, function, name))
        return std::nullopt;
    const GlobalVariable* global = model_.find_global(expression, function);
    if (global && integer_type(global->type))
        is_integer = true;
    IntegerRange range;
    range.bounded_below = range.bounded_above = range.promised = true;
    const double low = found->second.minimum, high = found->second.maximum;
    range.lowest = std::int64_t(is_integer ? std::ceil(low) : std::floor(low));
    range.highest = std::int64_t(is_integer ? std::floor(high) : std::ceil(high));
    if (global)
        range.type = integer_type(global->type);
    range.from = fmt::format("the configured range of {}", expression);
    return range;
}

IntegerRange IntegerRanges::of_name(const std::string& name, Index function, Site site) {
    const auto use = flows_.find(function, name, site);
    if (!use || !use->variable)
        return {};
    if (use->variable->kind == VariableKind::global) {
        const auto type = integer_type(use->variable->type);
        return type ? of_static(*use->variable, *type) : IntegerRange{};
    }
    if (const auto range = of_counter(*use->variable, function, site))
        return *range;
    return of(*use, function);
}

/// A module that imports this one may set it otherwise, as it may call otherwise.
IntegerRange IntegerRanges::of_static(const Variable& variable, IntegerType type) {
    const GlobalVariable& global = model_.globals[variable.index];
    if (!is_never_written(model_, global))
        return range_of(type);
    const auto value = constant(compact(*global.initializer), none, global.site);
    if (!value || !type.holds(value->value))
        return range_of(type);
    IntegerRange range = range_of({value->value, type});
    range.from_callers = true;
    range.from = place(*global.initializer, global.site);
    traits.constants.insert(global.name);
    return range;
}

IntegerRange IntegerRanges::of(const VariableUse& use, Index function) {
    const Variable& variable = *use.variable;
    std::optional<IntegerType> type = integer_type(variable.type);
    IntegerRange unknown = type ? range_of(*type) : IntegerRange{};
    const bool is_inferred =
        variable.type == "var" || variable.type == "let" || variable.type.empty();
    if ((!type && !is_inferred) || use.definitions.empty() || depth_ > deepest)
        return unknown;
    if (!use.is_complete && may_be_written(variable, function))
        return unknown;
    ++depth_;
    std::optional<IntegerRange> range;
    for (const Definition* definition : use.definitions) {
        const IntegerRange value = of_definition(*definition, variable, function);
        range = range ? united(*range, value) : value;
    }
    --depth_;
    return type ? converted(*range, *type) : *range;
}

/// After its declaration, by what the model holds or by a macro.
bool IntegerRanges::may_be_written(const Variable& variable, Index function) const {
    const Function& f = model_.functions[function];
    if (!f.body || !risky_macro(model_, {f.site.file, *f.body}, &MacroRisk::writes).empty())
        return true;
    if (variable.kind == VariableKind::local)
        return variable.index == none || model_.locals[variable.index].reassigned;
    return variable.kind != VariableKind::parameter ||
           std::any_of(model_.accesses.begin(), model_.accesses.end(), [&](const Access& access) {
               return access.function == function && access.name == variable.name &&
                      access.kind != AccessKind::read;
           });
}

IntegerRange IntegerRanges::of_definition(const Definition& definition, const Variable& variable,
                                          Index function) {
    if (definition.partial)
        return {};
    if (definition.kind == DefinitionKind::entry && variable.kind == VariableKind::parameter)
        return of_parameter(variable, function);
    if (variable.kind != VariableKind::local && variable.kind != VariableKind::parameter)
        return {};
    if (definition.kind == DefinitionKind::declaration && variable.index != none &&
        model_.locals[variable.index].initializer && !model_.locals[variable.index].is_static) {
        const Site value = *model_.locals[variable.index].initializer;
        return of(std::string(model_.text(value)), function, value);
    }
    return definition.kind == DefinitionKind::assignment && definition.value
               ? of(std::string(model_.text(*definition.value)), function, *definition.value)
               : IntegerRange{};
}

/// In the body of a loop that counts with the variable.
std::optional<IntegerRange> IntegerRanges::of_counter(const Variable& variable, Index function,
                                                      Site site) {
    if (variable.kind != VariableKind::local || variable.index == none)
        return std::nullopt;
    for (Index i = 0; i < model_.loops.size(); ++i) {
        const Loop& loop = model_.loops[i];
        if (loop.function == function && loop.counter_local == variable.index &&
            loop.site.file == site.file && loop.body.contains(site.range) &&
            !(loop.condition && loop.condition->contains(site.range)))
            return counter_(i);
    }
    return std::nullopt;
}

IntegerRange IntegerRanges::of_parameter(const Variable& variable, Index function) {
    const Function& callee = model_.functions[function];
    // An exported function, an entry point or one in an included file may be called from elsewhere,
    // as any may from text that could not be read.
    const bool may_have_other_callers =
        has_syntax_error(model_) || !callee.parent_type.empty() || callee.site.file != 0 ||
        is_entry_point(callee) || has(callee.modifiers, "public") ||
        has(callee.modifiers, "export") || has(callee.modifiers, "extern");
    if (may_have_other_callers || variable.index >= callee.parameters.size() ||
        is_written(callee.parameters[variable.index]) || flows_.has_unseen_callers(function))
        return {};
    std::optional<IntegerRange> all;
    for (const Call& call : model_.calls) {
        const std::vector<Index> called = model_.callees(call);
        if (std::find(called.begin(), called.end(), function) == called.end())
            continue;
        // A derivative takes no argument for an `out` parameter: positions are not the callee's.
        if ((call.kind != CallKind::plain && has_written_parameter(callee)) ||
            call.arguments.size() <= variable.index || steps_ > most_steps)
            return {};
        const Site argument = call.arguments[variable.index];
        IntegerRange range = of(std::string(model_.text(argument)), call.function, argument);
        range.from_callers = true;
        traits.calls.insert(Index(&call - model_.calls.data()));
        all = all ? united(*all, range) : range;
    }
    return all ? *all : IntegerRange{};
}

std::string IntegerRanges::place(const std::string& expression, Site site) const {
    return fmt::format("{} at {}", expression, short_place(model_, site));
}

} // namespace slimgrad
