#include "rewriter/called_value.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace slimgrad {

namespace {

/// "IFunc" of "IFunc<float, float>".
bool is_function_interface(const ModuleModel& model, std::string_view name) {
    constexpr std::array<std::string_view, 4> names{"IFunc", "IMutatingFunc", "IDifferentiableFunc",
                                                    "IDifferentiableMutatingFunc"};
    name = name.substr(0, name.find('<'));
    return std::find(names.begin(), names.end(), name) != names.end() && !model.find_type(name);
}

bool is_function_type(const ModuleModel& model, const Function& function, std::string_view type) {
    for (const auto* generics : {&function.generics, &function.outer_generics}) {
        for (const GenericParameter& generic : *generics) {
            if (generic.name == type)
                return is_function_interface(model, generic.constraint);
        }
    }
    return (type.starts_with("functype") && type.find("out") == type.npos) ||
           is_function_interface(model, type);
}

/// `let f = (float x) => ..`
bool holds_lambda(const ModuleModel& model, const LocalVariable& local) {
    return local.initializer && !local.reassigned &&
           model.text(*local.initializer).starts_with('(') &&
           model.text(*local.initializer).find("=>") != std::string_view::npos;
}

} // namespace

bool takes_values(const ModuleModel& model, const Call& call) {
    if (call.callee_kind != CalleeKind::value || call.function == none || !call.receiver.empty())
        return false;
    const Function& function = model.functions[call.function];
    bool is_known = false;
    for (const Parameter& parameter : function.parameters) {
        if (parameter.name != call.callee)
            continue;
        is_known = true;
        if (!is_function_type(model, function, parameter.type))
            return false;
    }
    for (const LocalVariable& local : model.locals) {
        if (local.function != call.function || local.name != call.callee)
            continue;
        is_known = true;
        if (!holds_lambda(model, local) && !is_function_type(model, function, local.type))
            return false;
    }
    return is_known;
}

} // namespace slimgrad
