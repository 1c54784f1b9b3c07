#include "attributes/memory_values.h"

#include "attributes/builtins.h"
#include "attributes/expression_text.h"
#include "attributes/memory_types.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace slimgrad {

bool is_pointer(const ModuleModel& model, Index function, const std::string& name, Index local) {
    const auto of_local = [&](const LocalVariable& variable) {
        if (is_pointer_type(variable.type))
            return true;
        return is_inferred_type(variable.type) && variable.initializer &&
               trimmed(model.text(*variable.initializer)).starts_with('&');
    };
    if (local != none)
        return of_local(model.locals[local]);
    for (const Parameter& parameter : model.functions[function].parameters) {
        if (parameter.name == name)
            return is_pointer_type(parameter.type);
    }
    const GlobalVariable* global = model.find_global(name);
    return global && is_pointer_type(global->type);
}

bool is_buffer_method(const ModuleModel& model, const Call& call) {
    if (call.function == none || call.receiver.empty())
        return false;
    const BuiltinEffect effect = builtin_effect(call.callee);
    if (effect != BuiltinEffect::reads_receiver && effect != BuiltinEffect::writes)
        return false;
    const std::string name = first_name(call.receiver);
    std::string type;
    for (const Parameter& parameter : model.functions[call.function].parameters)
        type = parameter.name == name ? parameter.type : type;
    for (const LocalVariable& local : model.locals)
        type = local.function == call.function && local.name == name ? local.type : type;
    if (const GlobalVariable* global = model.find_global(name); global && type.empty())
        type = global->type;
    return !model.find_type(first_name(type)) && is_memory_type(model, type);
}

bool is_memory_value(const ModuleModel& model, Index function, std::string_view value) {
    value = trimmed(value);
    const auto outer = [&](std::string_view characters) {
        int depth = 0;
        for (std::size_t i = 0; i < value.size(); ++i) {
            depth += value[i] == '(' || value[i] == '['   ? 1
                     : value[i] == ')' || value[i] == ']' ? -1
                                                          : 0;
            if (depth == 0 && i > 0 && characters.find(value[i]) != std::string_view::npos)
                return true;
        }
        return false;
    };
    if (value.empty() || value.starts_with('&') || value.starts_with('*') ||
        value.starts_with('{') || outer("?"))
        return true;
    if (std::isdigit(static_cast<unsigned char>(value[0])) || value[0] == '-' || value[0] == '!' ||
        value[0] == '~' || value[0] == '"')
        return false;
    if (value.ends_with(']')) {
        // An element: of an array of buffers, or of a buffer of pointers, it is memory.
        const std::string base = first_name(value);
        std::string type;
        for (const Parameter& parameter : model.functions[function].parameters)
            type = parameter.name == base ? parameter.type : type;
        if (const GlobalVariable* global = model.find_global(base); global && type.empty())
            type = global->type;
        const auto arguments = type_arguments(type);
        if (type.find('[') != std::string::npos)
            return is_memory_type(model, type);
        return is_pointer_type(type) || arguments.empty() || is_memory_type(model, arguments[0]);
    }
    const auto names = names_in(value);
    const bool of_pointer = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        Index local = none;
        for (Index i = 0; i < model.locals.size(); ++i) {
            if (model.locals[i].function == function && model.locals[i].name == name)
                local = i;
        }
        return is_pointer(model, function, name, local);
    });
    if (of_pointer && outer("+-"))
        return true;
    if (outer("+-/%^|") || (outer("*") && !value.starts_with('(')))
        return false; // arithmetic
    const bool call = value.ends_with(')') && !value.starts_with('(');
    if (!call)
        return value.find(')') != std::string_view::npos ||
               value.find('<') != std::string_view::npos;
    // The callee of the last call: what stands before its parenthesis.
    int depth = 0;
    std::size_t open = value.size();
    while (open > 0) {
        --open;
        depth += value[open] == ')' ? 1 : value[open] == '(' ? -1 : 0;
        if (depth == 0)
            break;
    }
    std::string_view callee = trimmed(value.substr(0, open));
    if (callee.ends_with('>')) {
        const auto angle = callee.find('<');
        callee = angle == std::string_view::npos ? callee : callee.substr(0, angle);
    }
    const std::string name = last_name(callee);
    if (name.empty())
        return true;
    if (const auto functions = model.find_functions(name); !functions.empty())
        return std::any_of(functions.begin(), functions.end(), [&](Index f) {
            return is_memory_type(model, model.functions[f].return_type);
        });
    if (model.find_type(name))
        return is_memory_type(model, name);
    // What puts values together gives memory if it is given memory.
    constexpr std::string_view aggregates[] = {"makeTuple", "makeArray",   "makeArrayFromElement",
                                               "concat",    "reinterpret", "bit_cast",
                                               "select",    "Tuple",       "Array",
                                               "Optional"};
    return builtin_effect(name) == BuiltinEffect::unknown ||
           std::find(std::begin(aggregates), std::end(aggregates), name) != std::end(aggregates);
}

} // namespace slimgrad
