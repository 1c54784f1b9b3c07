#include "attributes/prefer_checkpoint.h"

#include "attributes/attribute_removal.h"
#include "attributes/differentiated_functions.h"
#include "attributes/effects.h"
#include "attributes/function_flows.h"
#include "attributes/function_head.h"
#include "attributes/trip_count.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace slimgrad {
namespace {

bool is_unrolled(const ModuleModel& model, Index loop) {
    for (; loop != none; loop = model.loops[loop].parent)
        if (model.loops[loop].kind == LoopKind::compile_time_for ||
            std::any_of(model.loops[loop].attributes.begin(), model.loops[loop].attributes.end(),
                        [](const Attribute& a) { return a.name == "ForceUnroll"; }))
            return true;
    return false;
}

Finding finding_at(Place place, std::string message) {
    Finding finding;
    finding.rule = "prefer-checkpoint";
    finding.severity = Severity::cost;
    finding.place = std::move(place);
    finding.message = std::move(message);
    return finding;
}

void offer_steps(const RuleInput& input, std::vector<Finding>& findings) {
    const ModuleModel& model = input.model;
    const EffectAnalysis effects(model);
    FunctionFlows flows(model);
    const std::vector<bool> differentiated = find_differentiated(
        model, effects.tracer(), [&](Index i) -> const FunctionFlow& { return flows.of(i); });
    std::set<Index> seen;
    for (const Call& call : model.calls) {
        if (call.function == none || call.loop == none || call.target == none ||
            call.kind != CallKind::plain || !differentiated[call.function] ||
            !differentiated[call.target] || !is_unrolled(model, call.loop) ||
            !seen.insert(call.target).second)
            continue;
        const Function& step = model.functions[call.target];
        if (!step.is_differentiable() || step.has_attribute("PreferCheckpoint") ||
            step.has_attribute("PreferRecompute") || !can_edit_head(input, step))
            continue;
        Finding finding =
            finding_at(model.place(call.site),
                       fmt::format("'{}' is computed again for the backward pass of an unrolled "
                                   "loop; it might be stored",
                                   step.name));
        Fix fix;
        fix.description = fmt::format("mark '{}' [PreferCheckpoint]", step.name);
        fix.edits.push_back(insert_line_above(model.files[step.site.file], step.site.range.begin,
                                              "[PreferCheckpoint]"));
        finding.fixes.push_back(std::move(fix));
        findings.push_back(std::move(finding));
    }
}

void reconsider_marks(const RuleInput& input, std::vector<Finding>& findings) {
    for (const Function& function : input.model.functions) {
        const Attribute* mark = function.find_attribute("PreferCheckpoint");
        if (!mark || !can_edit_head(input, function))
            continue;
        const auto removal = attribute_removal(input.model, *mark);
        if (!removal)
            continue;
        Finding finding =
            finding_at(input.model.place(mark->site),
                       fmt::format("'{}' is stored for the backward pass since it is marked so",
                                   function.name));
        Fix fix;
        fix.description = fmt::format("take [PreferCheckpoint] off '{}'", function.name);
        fix.edits.push_back(*removal);
        finding.fixes.push_back(std::move(fix));
        findings.push_back(std::move(finding));
    }
}

} // namespace

std::vector<Finding> prefer_checkpoint(const RuleInput& input) {
    std::vector<Finding> findings;
    if (!input.searching || !input.compiled.succeeded())
        return findings;
    offer_steps(input, findings);
    if (input.reconsider)
        reconsider_marks(input, findings);
    return findings;
}

} // namespace slimgrad
