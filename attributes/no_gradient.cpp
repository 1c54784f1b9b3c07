#include "attributes/no_gradient.h"

#include "attributes/gradient_paths.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace slimgrad {
namespace {

Finding finding_at(Place place, std::string message) {
    Finding finding;
    finding.rule = "no-gradient";
    finding.severity = Severity::error;
    finding.place = std::move(place);
    finding.message = std::move(message);
    return finding;
}

/// The functions whose backward pass somebody asked for by their name: not what stands in for the
/// requirement of an interface, where one of several may well have no gradient.
std::set<Index> asked_for(const ModuleModel& model) {
    std::set<Index> found;
    for (Index i = 0; i < model.functions.size(); ++i)
        if (model.functions[i].has_attribute("CUDAKernel") &&
            model.functions[i].is_differentiable())
            found.insert(i);
    for (const Call& call : model.calls)
        if (call.kind == CallKind::backward_derivative && call.target != none &&
            call.callee_kind != CalleeKind::requirement && model.callees(call).size() == 1)
            found.insert(call.target);
    return found;
}

std::string reason_of(const ModuleModel& model, GradientPaths& paths, Index function) {
    const std::vector<Parameter>& parameters = model.functions[function].parameters;
    const auto view = std::find_if(parameters.begin(), parameters.end(), [](const Parameter& p) {
        return p.type.starts_with("TensorView<");
    });
    if (view != parameters.end())
        return fmt::format("its parameter '{}' is a TensorView, which has none; DiffTensorView has",
                           view->name);
    const std::string end = paths.where_it_ends(function);
    return end.empty() ? "nothing that it is given has a derivative" : end;
}

} // namespace

std::vector<Finding> no_gradient(const RuleInput& input) {
    const ModuleModel& model = input.model;
    std::vector<Finding> findings;
    std::set<std::string> named;
    FunctionFlows flows(model);
    GradientPaths paths(model, flows);
    for (const Index i : asked_for(model)) {
        const Function& function = model.functions[i];
        if (model.is_broken(function.site) || paths.may_give_gradient(i))
            continue;
        named.insert(function.name);
        findings.push_back(finding_at(model.place(function.name_site),
                                      fmt::format("no gradient flows through '{}': {}",
                                                  function.name, reason_of(model, paths, i))));
    }
    // Facts with a subject are guesses from a kernel's parameters, which its body decides above.
    for (const GradientFact& fact : input.gradient_facts)
        if (fact.kind == GradientFact::Kind::no_gradient && fact.subject.empty() &&
            !named.contains(fact.function))
            findings.push_back(finding_at(
                fact.place.file.empty() && !model.files.empty()
                    ? Place{model.files.front().path(), 0, 0}
                    : fact.place,
                fmt::format("no gradient flows through '{}': bwd_diff gives 0, central differences "
                            "{:.4g} on {} of {} input{}",
                            fact.function, fact.reference, fact.mismatching, fact.samples,
                            fact.samples == 1 ? "" : "s")));
    return findings;
}

} // namespace slimgrad
