#include "attributes/constant_call.h"

#include "attributes/expression_text.h"
#include "attributes/function_names.h"
#include "attributes/receiver_type.h"
#include "rewriter/integer_expression.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <string_view>

namespace slimgrad {

namespace {

/// The function that runs, if that is certain and it is no other one in a subtype.
const Function* only_callee(const ModuleModel& model, const Call& call) {
    const bool is_certain = call.callee_kind == CalleeKind::function ||
                            call.callee_kind == CalleeKind::method ||
                            call.callee_kind == CalleeKind::static_method;
    if (call.kind != CallKind::plain || call.form != CallForm::call || !is_certain ||
        model.callees(call).size() != 1)
        return nullptr;
    const Function& function = model.functions[call.target];
    return function.body && !function.from_macro && !model.is_broken(function.site) ? &function
                                                                                    : nullptr;
}

/// "e" of a body that is `{ return e; }`; "" of others.
std::string_view returned(const ModuleModel& model, const Function& function) {
    constexpr std::string_view keyword = "return";
    std::string_view body = trimmed(model.text({function.site.file, *function.body}));
    if (!body.starts_with('{') || !body.ends_with('}'))
        return "";
    body = trimmed(body.substr(1, body.size() - 2));
    if (!body.starts_with(keyword) || !body.ends_with(';'))
        return "";
    body = body.substr(keyword.size(), body.size() - keyword.size() - 1);
    const bool is_word = !body.empty() && !is_name(body.front());
    return is_word && body.find_first_of(";{}#\"\\") == body.npos && body.find("//") == body.npos &&
                   body.find("/*") == body.npos
               ? trimmed(body)
               : "";
}

/// A number, or a generic value of the caller, that is an int.
std::optional<std::string> in_caller(const ModuleModel& model, const Call& call,
                                     const std::string& argument) {
    if (const GenericParameter* generic = find_generic(model, call.function, argument))
        return !is_variable_name(model, call.function, argument) && generic->is_value &&
                       generic->constraint == "int"
                   ? std::optional(argument)
                   : std::nullopt;
    const bool is_number = std::all_of(argument.begin(), argument.end(), [](char c) {
        return std::isdigit(static_cast<unsigned char>(c));
    });
    return is_number && !argument.empty() ? std::optional(argument) : std::nullopt;
}

/// Of the object that the caller is a method of, too.
bool is_own_method(const ModuleModel& model, const Call& call, const Function& callee) {
    if (call.function == none || !(call.receiver.empty() || call.receiver == "this"))
        return false;
    const Function& caller = model.functions[call.function];
    return caller.parent_type == callee.parent_type && caller.generics.empty() &&
           std::equal(caller.outer_generics.begin(), caller.outer_generics.end(),
                      callee.outer_generics.begin(), callee.outer_generics.end(),
                      [](const auto& a, const auto& b) { return a.name == b.name; });
}

/// What a generic value of the type around the callee is for this call.
std::optional<std::string> generic_value(const ModuleModel& model, Index index,
                                         const Function& callee, std::string_view name) {
    const Call& call = model.calls[index];
    const auto& generics = callee.outer_generics;
    const auto generic = std::find_if(generics.begin(), generics.end(),
                                      [&](const auto& g) { return g.name == name; });
    if (generic == generics.end() || !generic->is_value || generic->constraint != "int" ||
        find_generic(model, call.target, name) != &*generic)
        return std::nullopt;
    if (is_own_method(model, call, callee))
        return in_caller(model, call, generic->name);
    const auto arguments = receiver_arguments(model, index, callee);
    if (!arguments || arguments->size() != generics.size())
        return std::nullopt;
    return in_caller(model, call, (*arguments)[std::size_t(generic - generics.begin())]);
}

/// "K" alone, or what "K * 2" is for a number K.
std::optional<std::string> of_generic_values(const ModuleModel& model, Index call,
                                             const Function& callee,
                                             const std::string& expression) {
    if (std::all_of(expression.begin(), expression.end(), is_name))
        return generic_value(model, call, callee, expression);
    const auto value = evaluate_typed(expression, [&](std::string_view name) {
        const auto known = generic_value(model, call, callee, name);
        return known ? std::optional(ConstantName{true, *known, "int"}) : std::nullopt;
    });
    return value && value->value >= 0 && value->type == IntegerType{}
               ? std::optional(std::to_string(value->value))
               : std::nullopt;
}

/// "4" of `a.getCount()` for an array of a known size, whatever holds it: of a `float[3][4]`, four
/// arrays of three.
std::optional<std::string> element_count(const ModuleModel& model, const Call& call) {
    if (call.callee_kind != CalleeKind::builtin || call.callee != "getCount" ||
        !call.arguments.empty() || !call.receiver_site)
        return std::nullopt;
    const std::string_view type = model.type_of(*call.receiver_site);
    const auto open = type.rfind('[');
    if (open == type.npos || !type.ends_with(']'))
        return std::nullopt;
    return in_caller(model, call, std::string(type.substr(open + 1, type.size() - open - 2)));
}

} // namespace

std::optional<std::string> constant_result(const ModuleModel& model, Index index,
                                           ConstantTraits& traits) {
    const Call& call = model.calls[index];
    if (auto count = element_count(model, call))
        return count;
    const Function* callee = only_callee(model, call);
    const auto type = callee ? integer_type(callee->return_type) : std::nullopt;
    const std::string expression(type ? returned(model, *callee) : std::string_view());
    if (expression.empty())
        return std::nullopt;
    std::optional<std::string> result;
    if (const auto value = constant_value(model, call.target, expression, traits)) {
        if (type->holds(*value))
            result = callee->return_type == "int" && *value >= 0
                         ? std::to_string(*value)
                         : fmt::format("{}({})", callee->return_type, *value);
    } else if (callee->return_type == "int") {
        result = of_generic_values(model, index, *callee, expression);
    }
    if (result)
        traits.functions.insert(call.target);
    return result;
}

} // namespace slimgrad
