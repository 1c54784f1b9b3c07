#include "attributes/rectangle_guard.h"

#include "attributes/checkpointed_loops.h"
#include "attributes/guarded_loop.h"
#include "attributes/loop_form.h"
#include "attributes/unroll_cost.h"

#include <fmt/format.h>
#include <set>

namespace slimgrad {

namespace {

constexpr std::string_view not_unrolled_code = "E40020";

class RectangleGuard {
  public:
    explicit RectangleGuard(const RuleInput& input)
        : input_(input), model_(input.model), loops_(input) {}

    std::vector<Finding> run() {
        for (const Diagnostic& diagnostic : input_.compiled.diagnostics)
            if (diagnostic.code == not_unrolled_code &&
                diagnostic.severity == DiagnosticSeverity::error)
                not_unrolled(diagnostic.place);
        for (Index loop : loops_.loops())
            if (loops_.loop_around(loop) != none &&
                loops_.bytes_per_two_trips(model_.loops[loop].function) > 0 &&
                follows_loop(model_, loop))
                stored(loop);
        return std::move(findings_);
    }

  private:
    /// slangc gives up on a loop, or on one in it.
    void not_unrolled(const Place& place) {
        const Index file = model_.find_file(place.file);
        const Index named =
            file == none
                ? none
                : model_.loop_at(file, model_.files[file].offset(place.line, place.column));
        if (named == none)
            return;
        for (Index loop = 0; loop < model_.loops.size(); ++loop) {
            const Loop& l = model_.loops[loop];
            if (l.site.file != file || !model_.loops[named].site.range.contains(l.site.range) ||
                !is_unrolled(l) || !follows_loop(model_, loop) || !seen_.insert(loop).second)
                continue;
            Finding finding = finding_at(loop, Severity::error);
            finding.message = fmt::format(
                "slangc does not unroll this loop: how often it runs follows the loop around it");
            if (const auto guarded = guard(loop, finding)) {
                Fix fix;
                fix.description = fmt::format("run {} {} times, with a test in its body",
                                              loops_.name_of(loop), guarded->most());
                fix.edits = guarded->edits(guarded->most());
                finding.fixes.push_back(std::move(fix));
            }
            findings_.push_back(std::move(finding));
        }
    }

    void stored(Index loop) {
        const std::uint64_t bytes = loops_.bytes_per_two_trips(model_.loops[loop].function);
        Finding finding = finding_at(loop, Severity::cost);
        finding.bytes = bytes;
        finding.message =
            fmt::format("'{}' stores {} B for the trips of this loop and of the one around it, and "
                        "how often it "
                        "runs follows that one; with a test in its body it always runs as often",
                        model_.functions[model_.loops[loop].function].name, bytes);
        if (const auto guarded = guard(loop, finding)) {
            unrolled(loop, *guarded, finding);
            replayed(loop, *guarded, finding);
        }
        if (finding.fixes.empty())
            finding.severity = Severity::note;
        findings_.push_back(std::move(finding));
    }

    void unrolled(Index loop, const GuardedLoop& guarded, Finding& finding) {
        const std::string through = loops_.cost().carries_through(loop);
        if (guarded.most() > (through.empty() ? most_unrolled_trips : most_trips_through_call)) {
            finding.why_not.push_back(
                fmt::format("{} trips are too many to unroll", guarded.most()));
            return;
        }
        Fix fix;
        fix.description = fmt::format("unroll {}, {} trips with a test in its body",
                                      loops_.name_of(loop), guarded.most());
        fix.edits = guarded.edits(guarded.most());
        fix.edits.push_back(unroll(model_, model_.loops[loop]));
        finding.fixes.push_back(std::move(fix));
    }

    /// As many trips as the loop around it has: what two loops with unequal bounds store is
    /// miscompiled.
    void replayed(Index loop, const GuardedLoop& guarded, Finding& finding) {
        const Index around = loops_.loop_around(loop);
        const TripCount& outer = loops_.trips().of(around);
        if (around != model_.loops[loop].parent || !has_constant_trips(outer) || !outer.exact ||
            *outer.exact < guarded.most())
            return;
        Fix fix;
        fix.description = fmt::format("run {} {} times, with a test in its body",
                                      loops_.name_of(loop), *outer.exact);
        fix.edits = guarded.edits(*outer.exact);
        const std::string bound = std::to_string(*outer.exact);
        for (Index l : {loop, around}) {
            const Attribute* written = bound_attribute(model_.loops[l]);
            if (written && written->arguments[0] == bound)
                continue;
            if (written)
                fix.edits.push_back({model_.files[written->site.file].path(), written->site.range,
                                     fmt::format("MaxIters({})", bound)});
            else
                fix.edits.push_back(replay(model_, model_.loops[l], bound));
        }
        finding.fixes.push_back(std::move(fix));
    }

    std::optional<GuardedLoop> guard(Index loop, Finding& finding) {
        auto guarded = GuardedLoop::read(input_, loops_, loop);
        if (guarded)
            return std::move(*guarded);
        finding.why_not.push_back(guarded.error().message);
        return std::nullopt;
    }

    Finding finding_at(Index loop, Severity severity) {
        Finding finding;
        finding.rule = "rectangle-guard";
        finding.severity = severity;
        finding.place = loops_.place_of(loop);
        return finding;
    }

    const RuleInput& input_;
    const ModuleModel& model_;
    CheckpointedLoops loops_;
    std::set<Index> seen_;
    std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> rectangle_guard(const RuleInput& input) {
    return RectangleGuard(input).run();
}

} // namespace slimgrad
