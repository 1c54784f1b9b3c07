#include "attributes/outline_inner_loop.h"

#include "attributes/checkpointed_loops.h"
#include "attributes/nested_bounds.h"
#include "attributes/outlined_loop.h"
#include "attributes/recompute_safety.h"

#include <fmt/format.h>
#include <set>

namespace slimgrad {

namespace {

Finding finding_at(CheckpointedLoops& loops, const ModuleModel& model, Index loop) {
    const Index function = model.loops[loop].function;
    Finding finding;
    finding.rule = "outline-inner-loop";
    finding.severity = Severity::note;
    finding.place = loops.place_of(loop);
    finding.bytes = loops.bytes_per_two_trips(function);
    finding.message = fmt::format("'{}' stores {} B for the trips of this loop and of the one "
                                  "around it; in a function of its own this loop stores its trips "
                                  "once",
                                  model.functions[function].name, finding.bytes);
    return finding;
}

/// The loop in a function with the mark that has slangc compute it again.
Fix marked(const ModuleModel& model, const Loop& loop, const OutlinedFunction& function,
           const std::string& name, const RecomputeSafety& safety) {
    Fix fix = move_loop(model, loop, function, name, "PreferRecompute(SideEffectBehavior.Allow)");
    add_condition(fix, safety);
    return fix;
}

} // namespace

std::vector<Finding> outline_inner_loop(const RuleInput& input) {
    const ModuleModel& model = input.model;
    CheckpointedLoops loops(input);
    std::set<Place> miscompiled;
    for (const Finding& finding : nested_bounds(input))
        if (finding.severity == Severity::error)
            miscompiled.insert(finding.place);
    std::vector<Finding> findings;
    for (Index index : loops.loops()) {
        const Loop& loop = model.loops[index];
        // Where Slang gets them wrong, nested-bounds offers the same.
        if (loops.loop_around(index) == none || loops.bytes_per_two_trips(loop.function) == 0 ||
            miscompiled.contains(loops.place_of(index)))
            continue;
        Finding finding = finding_at(loops, model, index);
        const auto function = outline(input, loops.flows(), code_of_loop(loop));
        if (function) {
            finding.severity = Severity::cost;
            finding.fixes.push_back(move_loop(model, loop, *function, loops.name_of(index)));
            const auto safety = recompute_safety(input, loops.effects(), loop.function);
            if (safety.answer != RecomputeSafety::Answer::no &&
                loops.may_be_stored({loop.site.file, loop.body}, safety))
                finding.fixes.push_back(
                    marked(model, loop, *function, loops.name_of(index), safety));
        } else {
            finding.why_not.push_back(function.error().message);
        }
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace slimgrad
