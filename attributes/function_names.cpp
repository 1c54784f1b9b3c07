#include "attributes/function_names.h"

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
