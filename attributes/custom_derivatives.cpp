#include "attributes/custom_derivatives.h"

#include "attributes/expression_text.h"

#include <string>
#include <string_view>

namespace slimgrad {

CustomDerivatives::CustomDerivatives(const ModuleModel& model)
    : derivatives_(model.functions.size()), primals_(model.functions.size()),
      substitutes_(model.functions.size()), unresolved_(model.functions.size()) {
    for (Index i = 0; i < model.functions.size(); ++i) {
        read_name(model, i);
        for (const Attribute& attribute : model.functions[i].attributes)
            read_attribute(model, i, attribute);
    }
}

void CustomDerivatives::link(Index primal, Index derivative) {
    derivatives_[primal].insert(derivative);
    primals_[derivative].insert(primal);
}

/// `__func_extension bwd_diff(g)(..)` is named "bwd_diff(g)".
void CustomDerivatives::read_name(const ModuleModel& model, Index function) {
    const std::string& own = model.functions[function].name;
    for (std::string_view derivative : {"bwd_diff(", "fwd_diff(", "__bwd_diff(", "__fwd_diff("}) {
        if (!own.starts_with(derivative) || !own.ends_with(')'))
            continue;
        const auto primals = model.find_functions(last_name(
            std::string_view(own).substr(derivative.size(), own.size() - derivative.size() - 1)));
        for (Index primal : primals)
            link(primal, function);
        unresolved_[function] = primals.empty();
    }
}

void CustomDerivatives::read_attribute(const ModuleModel& model, Index function,
                                       const Attribute& attribute) {
    if (attribute.arguments.empty())
        return;
    const std::string& kind = attribute.name;
    std::string name = last_name(attribute.arguments[0]);
    if (const MacroDefinition* macro = model.find_macro(name); macro && !macro->function_like)
        name = last_name(macro->body);
    const auto others = model.find_functions(name);
    if (others.empty() &&
        (kind.find("Derivative") != std::string::npos || kind.starts_with("PrimalSubstitute")))
        unresolved_[function] = true;
    for (Index other : others) {
        if (kind == "PrimalSubstitute")
            substitutes_[function].insert(other);
        if (kind == "PrimalSubstituteOf")
            substitutes_[other].insert(function);
        if (kind == "BackwardDerivative" || kind == "ForwardDerivative" ||
            kind == "PrimalSubstitute")
            link(function, other);
        else if (kind == "BackwardDerivativeOf" || kind == "ForwardDerivativeOf" ||
                 kind == "PrimalSubstituteOf")
            link(other, function);
    }
}

} // namespace slimgrad
