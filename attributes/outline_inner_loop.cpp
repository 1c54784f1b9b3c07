#include "attributes/outline_inner_loop.h"

#include "attributes/checkpointed_loops.h"
#include "attributes/outlined_function.h"
#include "attributes/recompute_safety.h"
#include "attributes/text_layout.h"

#include <algorithm>
#include <fmt/format.h>

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

Fix moved(const ModuleModel& model, const Loop& loop, const OutlinedFunction& function,
          const std::string& name, const std::string& mark = "") {
    const SourceFile& file = model.files[loop.site.file];
    const std::string body =
        function.body_indent() +
        reindented(file.slice(loop.with_attributes), indentation(file, loop.with_attributes.begin),
                   function.body_indent()) +
        function.line;
    Fix fix;
    fix.description = fmt::format("move {} into a function of its own", name);
    if (!mark.empty())
        fix.description += fmt::format(", marked [{}]", mark);
    fix.edits.push_back(function.declare(file, body, "", "void", mark));
    fix.edits.push_back({file.path(), loop.with_attributes, function.call_with() + ";"});
    return fix;
}

/// The same with the mark that has slangc compute it again.
Fix marked(const ModuleModel& model, const Loop& loop, const OutlinedFunction& function,
           const std::string& name, const RecomputeSafety& safety) {
    Fix fix = moved(model, loop, function, name, "PreferRecompute(SideEffectBehavior.Allow)");
    if (safety.answer == RecomputeSafety::Answer::if_no_alias) {
        fix.applicability = Applicability::unsafe;
        fix.condition = safety.reason;
    }
    return fix;
}

/// Whether slangc may store what a call of the loop needs rather than compute it again: since it
/// reads memory, or runs a function that is known only where the code is specialised.
bool may_be_stored(const ModuleModel& model, const Loop& loop, const RecomputeSafety& safety) {
    return safety.answer != RecomputeSafety::Answer::pure ||
           std::any_of(model.calls.begin(), model.calls.end(), [&](const Call& call) {
               return call.site.file == loop.site.file &&
                      loop.site.range.contains(call.site.range) &&
                      (call.callee_kind == CalleeKind::requirement ||
                       call.callee_kind == CalleeKind::unresolved);
           });
}

} // namespace

std::vector<Finding> outline_inner_loop(const RuleInput& input) {
    const ModuleModel& model = input.model;
    CheckpointedLoops loops(input);
    std::vector<Finding> findings;
    for (Index index : loops.loops()) {
        const Loop& loop = model.loops[index];
        if (loops.loop_around(index) == none || loops.bytes_per_two_trips(loop.function) == 0)
            continue;
        Finding finding = finding_at(loops, model, index);
        const Site code{loop.site.file, loop.with_attributes};
        const auto function =
            outline(input, loops.flows(), {loop.function, {code}, none, "inner loop"});
        if (function) {
            finding.severity = Severity::cost;
            finding.fixes.push_back(moved(model, loop, *function, loops.name_of(index)));
            const auto safety = recompute_safety(input, loops.effects(), loop.function);
            if (safety.answer != RecomputeSafety::Answer::no && may_be_stored(model, loop, safety))
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
