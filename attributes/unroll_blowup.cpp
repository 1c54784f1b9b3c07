#include "attributes/unroll_blowup.h"

#include "attributes/differentiated_functions.h"
#include "attributes/effects.h"
#include "attributes/function_flows.h"
#include "attributes/function_head.h"
#include "attributes/loop_form.h"
#include "attributes/trip_count.h"
#include "attributes/unroll_cost.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {
namespace {

/// Fewer cost slangc less than a second.
constexpr std::int64_t fewest_noted_trips = 17;

/// Whether slangc gave up on the module in a way that such a loop can be the cause of.
bool ran_away(const CompileResult& compiled) {
    return compiled.status == CompileStatus::timed_out ||
           compiled.status == CompileStatus::out_of_memory;
}

/// Whether the code has a backward pass of the function: in a forward derivative nothing is
/// doubled.
bool has_backward_pass(const CompileResult& compiled, const std::string& function) {
    return compiled.code.find("s_bwdCallableCtx_" + function + "_") != std::string::npos;
}

/// The functions that the call may mean, where each computes its step again.
std::vector<Index> recomputed_steps(const ModuleModel& model, const std::string& name) {
    std::vector<Index> steps = model.find_functions(name);
    if (std::any_of(steps.begin(), steps.end(), [&](Index step) {
            return model.functions[step].has_attribute("PreferCheckpoint");
        }))
        steps.clear();
    return steps;
}

std::optional<Fix> stored_step(const RuleInput& input, const std::vector<Index>& steps) {
    const ModuleModel& model = input.model;
    if (steps.size() != 1)
        return std::nullopt;
    const Function& step = model.functions[steps.front()];
    if (!step.is_differentiable() || step.has_attribute("PreferRecompute") ||
        !can_edit_head(input, step))
        return std::nullopt;
    Fix fix;
    fix.description = fmt::format("mark '{}' [PreferCheckpoint]", step.name);
    fix.edits.push_back(insert_line_above(model.files[step.site.file], step.site.range.begin,
                                          "[PreferCheckpoint]"));
    return fix;
}

std::optional<Fix> replayed(const RuleInput& input, Index loop, std::int64_t trips) {
    const ModuleModel& model = input.model;
    const Loop& l = model.loops[loop];
    if (!why_head_is_kept(input, l).empty() || !why_form_is_kept(model, l).empty())
        return std::nullopt;
    Fix fix;
    fix.description = fmt::format("replay {} with [MaxIters({})]", loop_name(model, loop), trips);
    fix.edits.push_back(replay(model, l, std::to_string(trips)));
    return fix;
}

} // namespace

std::vector<Finding> unroll_blowup(const RuleInput& input) {
    const ModuleModel& model = input.model;
    std::vector<Finding> findings;
    if (!input.compiled.succeeded() && !ran_away(input.compiled))
        return findings;
    const EffectAnalysis effects(model);
    FunctionFlows flows(model);
    TripCounts counts(model, input.promises);
    UnrollCost cost(model, flows, counts);
    const std::vector<bool> differentiated = find_differentiated(
        model, effects.tracer(), [&](Index i) -> const FunctionFlow& { return flows.of(i); });
    for (Index i = 0; i < model.loops.size(); ++i) {
        const Loop& loop = model.loops[i];
        if (loop.function == none || !is_unrolled(loop) || !differentiated[loop.function])
            continue;
        const auto trips = cost.trips(i);
        if (!trips ||
            *trips < (ran_away(input.compiled) ? most_trips_through_call + 1 : fewest_noted_trips))
            continue;
        const std::string callee = cost.carries_through(i);
        const std::string& name = model.functions[loop.function].name;
        const std::vector<Index> steps = recomputed_steps(model, callee);
        if (steps.empty() ||
            (input.compiled.succeeded() && !has_backward_pass(input.compiled, name)))
            continue;
        Finding finding;
        finding.rule = "unroll-blowup";
        finding.place = model.place(loop.site);
        finding.message =
            fmt::format("the {} trips of {} hand a value on through '{}': slangc's time doubles "
                        "with every one of them",
                        *trips, loop_name(model, i), callee);
        finding.severity = Severity::note;
        if (ran_away(input.compiled)) {
            finding.severity = Severity::error;
            for (auto& fix : {stored_step(input, steps), replayed(input, i, *trips)})
                if (fix)
                    finding.fixes.push_back(*fix);
            if (finding.fixes.empty())
                finding.why_not.push_back("neither the loop nor the function can be edited");
        }
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace slimgrad
