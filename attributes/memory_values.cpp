#include "attributes/memory_values.h"

#include "attributes/builtins.h"
#include "attributes/expression_text.h"
#include "attributes/memory_types.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>
#include <vector>

namespace slimgrad {

namespace {

/// What the name may be declared as in the function, whichever of its variables is meant.
std::vector<std::string> types_of_name(const ModuleModel& model, Index function,
                                       const std::string& name) {
    std::vector<std::string> types;
    for (const LocalVariable& local : model.locals) {
        if (local.function == function && local.name == name)
            types.push_back(local.type);
    }
    if (std::string type = type_of_name(model, function, name, none); !type.empty())
        types.push_back(std::move(type));
    return types;
}

} // namespace

std::string type_of_name(const ModuleModel& model, Index function, const std::string& name,
                         Index local) {
    if (local != none) {
        const LocalVariable& variable = model.locals[local];
        return is_inferred_type(variable.type) && variable.initializer
                   ? std::string(model.type_of(*variable.initializer))
                   : variable.type;
    }
    const Function& f = model.functions[function];
    for (const Parameter& parameter : f.parameters) {
        if (parameter.name == name)
            return parameter.type;
    }
    const TypeDeclaration* around =
        f.parent_type.empty() ? nullptr : model.find_type(first_name(f.parent_type));
    if (around) {
        for (const TypeDeclaration::Field& field : around->fields) {
            if (field.name == name)
                return field.type;
        }
    }
    const GlobalVariable* global = model.find_global(name, function);
    return global ? global->type : "";
}

bool is_pointer(const ModuleModel& model, Index function, const std::string& name, Index local) {
    if (is_pointer_type(type_of_name(model, function, name, local)))
        return true;
    if (local == none)
        return false;
    const LocalVariable& variable = model.locals[local];
    return is_inferred_type(variable.type) && variable.initializer &&
           trimmed(model.text(*variable.initializer)).starts_with('&');
}

bool has_pointer(const ModuleModel& model, const Access& access) {
    if (is_pointer(model, access.function, access.name, access.local))
        return true;
    const std::string type = type_of_name(model, access.function, access.name, access.local);
    std::vector<std::string> members;
    return std::any_of(access.members.begin(), access.members.end(), [&](const std::string& one) {
        members.push_back(one);
        return is_pointer_type(member_type(model, type, members));
    });
}

bool is_buffer_method(const ModuleModel& model, const Call& call) {
    if (call.function == none || call.receiver.empty())
        return false;
    const BuiltinEffect effect = builtin_effect(call.callee);
    if (effect != BuiltinEffect::reads_receiver && effect != BuiltinEffect::writes)
        return false;
    const auto types = types_of_name(model, call.function, first_name(call.receiver));
    return types.empty() || std::any_of(types.begin(), types.end(), [&](const std::string& type) {
               return !model.find_type(first_name(type)) && is_memory_type(model, type);
           });
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
        const std::string type = type_of_name(model, function, first_name(value), none);
        const auto arguments = type_arguments(type);
        if (type.find('[') != std::string::npos)
            return is_memory_type(model, type);
        return is_pointer_type(type) || arguments.empty() || is_memory_type(model, arguments[0]);
    }
    const auto names = names_in(value);
    const bool of_pointer = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        for (Index i = 0; i < model.locals.size(); ++i) {
            if (model.locals[i].function == function && model.locals[i].name == name &&
                is_pointer(model, function, name, i))
                return true;
        }
        return is_pointer(model, function, name, none);
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
