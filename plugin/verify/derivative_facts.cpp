#include "plugin/verify/derivative_facts.h"

#include "attributes/custom_derivatives.h"
#include "attributes/expression_text.h"
#include "plugin/verify/gradient_pairs.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <vector>

namespace slimgrad::verify {
namespace {

/// Whether the name is a static variable that some function writes: what the kernel sets it to
/// before a call is not recorded.
bool is_written_static(const ModuleModel& model, const std::string& name) {
    const GlobalVariable* global = model.find_global(name);
    const bool is_static =
        global ? global->kind == GlobalKind::mutable_static
               : std::any_of(model.locals.begin(), model.locals.end(), [&](const LocalVariable& l) {
                     return l.name == name && l.is_static && !l.is_const;
                 });
    const std::string variable = last_name(name); // "hits" of the static member "Tab.hits"
    return is_static &&
           std::any_of(model.accesses.begin(), model.accesses.end(), [&](const Access& access) {
               const bool is_named = access.name == name || access.name == variable ||
                                     std::find(access.members.begin(), access.members.end(),
                                               variable) != access.members.end();
               return is_named && access.kind != AccessKind::read;
           });
}

} // namespace

std::vector<Index> functions_named(const ModuleModel& model, const std::string& function) {
    return model.find_functions(last_name(function));
}

std::string side_effect(const ModuleModel& model, const EffectAnalysis& effects,
                        const std::string& function) {
    for (const Index index : functions_named(model, function)) {
        for (const Index reached : effects.reachable(index, false))
            for (const Index derivative :
                 effects.tracer().custom_derivatives().derivatives(reached))
                for (const auto& [root, site] : effects.of_function(derivative).reads)
                    if (is_written_static(model, root.name))
                        return fmt::format("{} reads the static variable {}, which the kernel may "
                                           "set before it calls it",
                                           model.functions[derivative].name, root.name);
        const Effects what = effects.of_function(index);
        if (!what.writes.empty())
            return fmt::format("{} writes {}", function, what.writes.begin()->first.name);
        if (!what.impure.empty())
            return fmt::format("{} {}", function, what.impure.begin()->first);
        for (const auto& [root, site] : what.reads) {
            if (is_written_static(model, root.name))
                return fmt::format("{} reads the static variable {}, which the kernel may set "
                                   "before it calls it",
                                   function, root.name);
            if (const GlobalVariable* global = model.find_global(root.name);
                global && global->kind == GlobalKind::groupshared)
                return fmt::format("{} reads {}, which threads share", function, root.name);
        }
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
           const std::string& buffer) {
    for (const Index index : functions_named(model, function))
        for (const auto& [root, site] : effects.of_function(index).reads)
            if (buffer_name(model, root) == buffer)
                return true;
    return false;
}

} // namespace slimgrad::verify
