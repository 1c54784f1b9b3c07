#include "attributes/segment_loop.h"

#include "attributes/checkpointed_loops.h"
#include "attributes/loop_blocks.h"
#include "attributes/outlined_function.h"
#include "attributes/text_layout.h"

#include <cmath>
#include <fmt/format.h>

namespace slimgrad {

namespace {

/// Of shorter loops little is stored, and every trip runs once more.
constexpr std::int64_t fewest_trips = 32;

/// Near the root of the number of trips, and if possible so that none is left over.
std::int64_t size_for(const LoopBlocks& blocks) {
    const double root = std::sqrt(double(blocks.trips()));
    std::int64_t best = std::int64_t(std::ceil(root));
    double farthest = 1.5;
    for (std::int64_t size = 2; size < 2 * best; ++size) {
        const double distance = size > root ? double(size) / root : root / double(size);
        if (blocks.fits(size) && distance < farthest) {
            farthest = distance;
            best = size;
        }
    }
    return best;
}

std::vector<std::int64_t> sizes_for(const LoopBlocks& blocks, bool searching) {
    const std::int64_t best = size_for(blocks);
    std::vector<std::int64_t> sizes{best};
    if (searching)
        sizes = {best, std::max<std::int64_t>(best / 2, 2), best * 2};
    for (std::int64_t& size : sizes)
        while (size > 2 && !blocks.is_testable(size, false))
            --size;
    return sizes;
}

/// The loop's body and, where a trip of the last segment may be too many, its end.
CodeToOutline code_of(const Loop& loop, bool has_guard) {
    CodeToOutline code{loop.function, {}, loop.counter_local, "segment", true};
    if (has_guard)
        code.code.push_back({loop.site.file, loop.end_range});
    code.code.push_back({loop.site.file, loop.body});
    return code;
}

Fix segmented(const ModuleModel& model, const Loop& loop, const LoopBlocks& blocks,
              const OutlinedFunction& function, std::int64_t size, const std::string& name,
              const std::string& mark = "") {
    const SourceFile& file = model.files[loop.site.file];
    const std::string indent = indentation(file, loop.keyword);
    const std::string& line = function.line;
    Fix fix;
    fix.description = fmt::format("run {} in calls of a function of {} trips", name, size);
    fix.edits.push_back(function.declare(
        file, blocks.inner(size, false, function.body_indent(), function.unit) + line,
        blocks.first_parameter(), "void", mark));
    if (!mark.empty())
        fix.description += fmt::format(", marked [{}]", mark);
    fix.edits.push_back({file.path(), loop.with_attributes,
                         blocks.outer(size, indent) + line + indent + function.unit +
                             function.call_with(blocks.first()) + ";"});
    return fix;
}

} // namespace

std::vector<Finding> segment_loop(const RuleInput& input) {
    const ModuleModel& model = input.model;
    CheckpointedLoops loops(input);
    std::vector<Finding> findings;
    for (Index index : loops.loops()) {
        const Loop& loop = model.loops[index];
        const std::uint64_t bytes = loops.carried_bytes(loop.function);
        // Two loops with unequal bounds, one in the other, are miscompiled.
        if (bytes == 0 || loops.most_trips(index) < fewest_trips ||
            loops.loop_around(index) != none || loops.has_loop_inside(index, false))
            continue;
        const auto blocks = LoopBlocks::read(input, loops, index);
        if (!blocks) // loop-split says why
            continue;
        Finding finding;
        finding.rule = "segment-loop";
        finding.place = loops.place_of(index);
        finding.bytes = bytes;
        finding.message =
            fmt::format("'{}' stores {} B for the trips of its loops; with segments of "
                        "this one in a function of their own it stores less",
                        model.functions[loop.function].name, bytes);
        const auto safety = recompute_safety(input, loops.effects(), loop.function);
        const bool can_mark = safety.answer != RecomputeSafety::Answer::no &&
                              loops.may_be_stored({loop.site.file, loop.body}, safety);
        for (std::int64_t size : sizes_for(*blocks, input.searching)) {
            const auto function = outline(input, loops.flows(), code_of(loop, !blocks->fits(size)));
            if (function) {
                finding.fixes.push_back(
                    segmented(model, loop, *blocks, *function, size, loops.name_of(index)));
                if (!can_mark)
                    continue;
                finding.fixes.push_back(segmented(model, loop, *blocks, *function, size,
                                                  loops.name_of(index),
                                                  "PreferRecompute(SideEffectBehavior.Allow)"));
                add_condition(finding.fixes.back(), safety);
            } else if (finding.why_not.empty())
                finding.why_not.push_back(function.error().message);
        }
        finding.severity = finding.fixes.empty() ? Severity::note : Severity::cost;
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace slimgrad
