#include "plugin/verify/branches_to_cover.h"

#include "attributes/custom_derivatives.h"
#include "attributes/effects.h"
#include "attributes/expression_text.h"
#include "attributes/function_names.h"
#include "plugin/verify/derivative_sites.h"
#include "plugin/verify/extrema.h"
#include "rewriter/branches.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace slimgrad {

namespace {

/// Whether generic values alone decide the branch: each specialization has one way of it.
bool is_specialised(const ModuleModel& model, Index function, const Branch& branch) {
    const auto names = names_in(model.text({branch.file, branch.condition}));
    return !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        const GenericParameter* generic = find_generic(model, function, name);
        return generic && generic->is_value && !is_variable_name(model, function, name) &&
               !model.find_macro(name);
    });
}

} // namespace

std::vector<verify::BranchToCover> branches_to_cover(const ModuleModel& model,
                                                     const std::string& entry_point,
                                                     const std::set<std::string>& changes) {
    using Kind = verify::BranchToCover::Kind;
    const EffectAnalysis effects(model);
    std::set<Index> reached;
    for (const Index entry : verify::source_functions(model, entry_point))
        reached.merge(effects.reachable(entry, true));
    const CustomDerivatives derivatives(model);
    std::vector<verify::BranchToCover> result;
    for (const Index function : reached) {
        const bool custom = !derivatives.primals(function).empty();
        if (!effects.is_run_backwards(function) && !custom &&
            !changes.contains(model.functions[function].name))
            continue;
        const auto add = [&](std::uint32_t file, ByteRange condition, Kind kind) {
            result.push_back({model.place(file, condition.begin),
                              model.place(file, condition.end).line,
                              kind,
                              model.functions[function].name,
                              "",
                              {}});
        };
        for (const Branch& branch : branches_of(model, function)) {
            if (is_specialised(model, function, branch))
                continue;
            add(branch.file, branch.condition,
                branch.kind == BranchKind::switch_statement ? Kind::labels : Kind::two_ways);
            if (branch.kind == BranchKind::conditional_expression)
                add(branch.file, branch.condition, Kind::selection);
        }
        for (const Call& call : model.calls)
            if (call.function == function && call.callee == "select" &&
                model.find_functions("select").empty())
                add(call.site.file, call.site.range, Kind::selection);
        for (const Loop& loop : model.loops)
            if (loop.function == function && !loop.from_macro)
                add(loop.site.file, {loop.keyword, loop.keyword}, Kind::loop);
    }
    if (changes.empty())
        return result;
    for (const verify::Extremum& extremum : verify::extrema_in(model)) {
        verify::BranchToCover choice{model.place(extremum.site.file, extremum.site.range.begin),
                                     model.place(extremum.site.file, extremum.site.range.end).line,
                                     extremum.maximum ? Kind::maximum : Kind::minimum,
                                     model.functions[extremum.function].name,
                                     extremum.callee,
                                     {}};
        for (const std::size_t value : {0, 1})
            if (changes.contains(verify::arm_of(extremum, value)))
                choice.values[value] = extremum.values[value];
        if (reached.contains(extremum.function) && choice.values != decltype(choice.values){})
            result.push_back(std::move(choice));
    }
    return result;
}

namespace {

/// By name: the texts of all functions of that name, in order.
std::map<std::string, std::string> texts_of(const ModuleModel& model) {
    std::map<std::string, std::string> texts;
    for (const Function& function : model.functions)
        texts[function.name] += model.text(function.site);
    return texts;
}

} // namespace

std::set<std::string> changed_functions(const ModuleModel& original, const ModuleModel& rewritten) {
    const std::map<std::string, std::string> before = texts_of(original),
                                             after = texts_of(rewritten);
    std::set<std::string> changed = verify::changed_arms(original, rewritten);
    for (const auto& [one, other] : {std::pair{&before, &after}, std::pair{&after, &before}})
        for (const auto& [name, text] : *one) {
            const auto found = other->find(name);
            if (found == other->end() || found->second != text)
                changed.insert(name);
        }
    return changed;
}

} // namespace slimgrad
