#include "attributes/function_names.h"

#include "attributes/expression_text.h"

#include <algorithm>

namespace slimgrad {

const GenericParameter* find_generic(const ModuleModel& model, Index function,
                                     std::string_view name) {
    if (function == none)
        return nullptr;
    const Function& f = model.functions[function];
    // The innermost one hides others.
    for (const auto* generics : {&f.generics, &f.outer_generics}) {
        const auto found = std::find_if(generics->rbegin(), generics->rend(),
                                        [&](const auto& g) { return g.name == name; });
        if (found != generics->rend())
            return &*found;
    }
    return nullptr;
}

bool is_generic(const ModuleModel& model, Index function, std::string_view name) {
    return find_generic(model, function, name) != nullptr;
}

bool is_local_name(const ModuleModel& model, Index function, std::string_view name) {
    return std::any_of(model.locals.begin(), model.locals.end(), [&](const LocalVariable& local) {
        return local.function == function && local.name == name;
    });
}

namespace {

/// Whether a lambda in the text has a parameter of this name.
bool is_lambda_parameter(std::string_view text, std::string_view name) {
    for (auto arrow = text.find("=>"); arrow != text.npos; arrow = text.find("=>", arrow + 2)) {
        const std::string_view before = trimmed(text.substr(0, arrow));
        if (!before.ends_with(')'))
            continue;
        int depth = 0;
        std::size_t open = before.size();
        while (open-- > 0) {
            depth += before[open] == ')' ? 1 : before[open] == '(' ? -1 : 0;
            if (depth == 0)
                break;
        }
        if (open >= before.size())
            continue;
        const auto names = names_in(before.substr(open));
        if (std::find(names.begin(), names.end(), name) != names.end())
            return true;
    }
    return false;
}

bool is_field(const ModuleModel& model, const Function& function, std::string_view name) {
    const TypeDeclaration* type =
        function.parent_type.empty() ? nullptr : model.find_type(first_name(function.parent_type));
    return type && std::any_of(type->fields.begin(), type->fields.end(),
                               [&](const auto& field) { return field.name == name; });
}

} // namespace

bool is_variable_name(const ModuleModel& model, Index function, std::string_view name) {
    std::uint32_t index = 0;
    return function != none &&
           (find_parameter(model, function, name, index) || is_local_name(model, function, name) ||
            is_field(model, model.functions[function], name) ||
            is_lambda_parameter(model.text(model.functions[function].site), name));
}

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

const Parameter* find_parameter(const ModuleModel& model, Index function, std::string_view name,
                                std::uint32_t& index) {
    if (function == none)
        return nullptr;
    const auto& parameters = model.functions[function].parameters;
    for (index = 0; index < parameters.size(); ++index) {
        if (parameters[index].name == name)
            return &parameters[index];
    }
    return nullptr;
}

bool is_unsigned_name(const ModuleModel& model, Index function, std::string_view name) {
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

} // namespace slimgrad
