#include "plugin/verify/derivative_facts.h"

#include "attributes/custom_derivatives.h"

#include <fmt/format.h>
#include <set>
#include <vector>

namespace slimgrad::verify {
namespace {

/// All functions that "N.f<4>" may mean.
std::vector<Index> functions_named(const ModuleModel& model, const std::string& function) {
    const std::string name = function.substr(0, function.find('<'));
    return model.find_functions(name.substr(name.find_last_of(".:") + 1));
}

} // namespace

std::string side_effect(const ModuleModel& model, const EffectAnalysis& effects,
                        const std::string& function) {
    for (const Index index : functions_named(model, function)) {
        const Effects what = effects.of_function(index);
        if (!what.writes.empty())
            return fmt::format("{} writes {}", function, what.writes.begin()->first.name);
        if (!what.impure.empty())
            return fmt::format("{} {}", function, what.impure.begin()->first);
        for (const auto& [root, site] : what.reads)
            if (const GlobalVariable* global = model.find_global(root.name);
                global && global->kind == GlobalKind::groupshared)
                return fmt::format("{} reads {}, which threads share", function, root.name);
    }
    return "";
}

std::string without_forward_partner(const ModuleModel& model, const EffectAnalysis& effects,
                                    const std::string& function) {
    const CustomDerivatives& custom = effects.tracer().custom_derivatives();
    std::set<Index> reached;
    for (const Index index : functions_named(model, function))
        reached.merge(effects.reachable(index, false));
    for (const Index index : reached) {
        const Function& primal = model.functions[index];
        bool backward = primal.has_attribute("BackwardDerivative"),
             forward = primal.has_attribute("ForwardDerivative");
        for (const Index derivative : custom.derivatives(index)) {
            const Function& f = model.functions[derivative];
            backward = backward || f.has_attribute("BackwardDerivativeOf") ||
                       f.name.starts_with("bwd_diff(");
            forward = forward || f.has_attribute("ForwardDerivativeOf") ||
                      f.name.starts_with("fwd_diff(");
        }
        if (backward && !forward)
            return primal.name;
    }
    return "";
}

bool reads(const ModuleModel& model, const EffectAnalysis& effects, const std::string& function,
           const std::string& global) {
    for (const Index index : functions_named(model, function))
        if (effects.of_function(index).reads.contains(MemoryRoot{true, global}))
            return true;
    return false;
}

} // namespace slimgrad::verify
