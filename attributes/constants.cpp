#include "attributes/constants.h"

#include "attributes/expression_text.h"
#include "attributes/function_names.h"
#include "rewriter/integer_expression.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>

namespace slimgrad {

namespace {

std::optional<ConstantName> constant_name(const ModuleModel& model, Index function,
                                          std::string_view name, ConstantTraits& traits) {
    std::uint32_t index = 0;
    if (find_parameter(model, function, name, index) || is_generic(model, function, name))
        return std::nullopt;
    const auto globals = std::count_if(model.globals.begin(), model.globals.end(),
                                       [&](const auto& g) { return g.name == name; });
    if (is_local_name(model, function, name)) {
        const LocalVariable* local = find_local(model, function, name);
        // Scopes are not followed: a name that also means something outside the function may mean
        // that here.
        if (!local || !local->initializer || local->reassigned || globals > 0 ||
            model.find_macro(name) || !keeps_values(local->type, traits))
            return std::nullopt;
        return ConstantName{true, std::string(model.text(*local->initializer))};
    }
    if (const GlobalVariable* global = model.find_global(name)) {
        if (global->kind != GlobalKind::constant || !global->initializer || globals > 1 ||
            !keeps_values(global->type, traits))
            return std::nullopt;
        return ConstantName{true, *global->initializer};
    }
    traits.has_macro = true;
    const MacroDefinition* macro = model.find_only_macro(name);
    if (!macro || macro->function_like)
        return std::nullopt;
    return ConstantName{true, macro->body};
}

} // namespace

bool keeps_values(std::string_view type, ConstantTraits& traits) {
    constexpr std::string_view wide[] = {"int",      "uint", "int32_t", "uint32_t", "int64_t",
                                         "uint64_t", "let",  "var",     ""};
    traits.has_unsigned = traits.has_unsigned || type.starts_with("uint");
    return std::find(std::begin(wide), std::end(wide), trimmed(type)) != std::end(wide);
}

std::optional<std::int64_t> constant_value(const ModuleModel& model, Index function,
                                           const std::string& expression, ConstantTraits& traits) {
    const auto lookup = [&](std::string_view name) {
        return constant_name(model, function, name, traits);
    };
    auto value = evaluate_integer(expression, lookup);
    const auto suffix = expression.find_first_of("uU");
    const bool unsigned_literal = suffix != std::string::npos && suffix > 0 &&
                                  std::isdigit(static_cast<unsigned char>(expression[suffix - 1]));
    if (value && (traits.has_unsigned || unsigned_literal))
        value = evaluate_integer(expression, lookup, Arithmetic::natural);
    return value && std::abs(*value) <= INT32_MAX ? value : std::nullopt;
}

std::optional<std::int64_t> constant_value(const ModuleModel& model, Index function,
                                           const std::string& expression) {
    ConstantTraits traits;
    return constant_value(model, function, expression, traits);
}

bool is_constant_expression(const ModuleModel& model, Index function, std::string_view expression) {
    for (const std::string& name : names_in(expression)) {
        if (name == "int" || name == "uint" || name == "max" || name == "min")
            continue;
        if (is_generic(model, function, name) || model.find_type(name))
            continue; // `N`, or `T` and `S` of `T.count`, which only a constant can be
        ConstantTraits traits;
        const auto constant = constant_name(model, function, name, traits);
        // A local's initializer is not in scope of an attribute of its loop; only file-level
        // constants and macros are.
        if (!constant || is_local_name(model, function, name))
            return false;
    }
    return !expression.empty();
}

} // namespace slimgrad
