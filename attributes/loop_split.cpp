#include "attributes/loop_split.h"

#include "attributes/checkpointed_loops.h"
#include "attributes/loop_blocks.h"
#include "attributes/text_layout.h"

#include <fmt/format.h>

namespace slimgrad {

namespace {

constexpr std::int64_t fewest_trips = 16; ///< of shorter loops little is stored

/// How many trips are unrolled: eight, or a little less where that leaves none over. Beyond twelve
/// slangc may take long where a value is handed on through a function.
std::vector<std::int64_t> sizes_for(const LoopBlocks& blocks, bool searching, bool through_call) {
    std::vector<std::int64_t> sizes;
    const auto add = [&](auto... wanted) {
        for (const std::int64_t size : {std::int64_t(wanted)...})
            if (blocks.is_testable(size, true))
                return sizes.push_back(size);
    };
    for (const std::int64_t size : {8, 6, 7, 5})
        if (sizes.empty() && blocks.fits(size))
            sizes.push_back(size);
    if (sizes.empty())
        add(8, 6, 7, 5, 4, 10, 9, 12, 11, 3, 2);
    if (searching) {
        add(4, 3, 2);
        if (!through_call)
            add(16, 15, 14, 13, 18, 20);
    }
    return sizes;
}

Fix split(const ModuleModel& model, const Loop& loop, const LoopBlocks& blocks, std::int64_t size,
          const std::string& name) {
    const SourceFile& file = model.files[loop.site.file];
    const std::string indent = indentation(file, loop.keyword);
    const std::string unit = indent_unit(file, loop.body, indent);
    const std::string line(file.line_ending());
    Fix fix;
    fix.description = fmt::format("split {} into blocks of {} unrolled trips", name, size);
    fix.edits.push_back({file.path(), loop.with_attributes,
                         fmt::format("{0}{1}{2}{{{1}{3}{1}{2}}}", blocks.outer(size, indent), line,
                                     indent, blocks.inner(size, true, indent + unit, unit))});
    return fix;
}

} // namespace

std::vector<Finding> loop_split(const RuleInput& input) {
    const ModuleModel& model = input.model;
    CheckpointedLoops loops(input);
    std::vector<Finding> findings;
    for (Index index : loops.loops()) {
        const Loop& loop = model.loops[index];
        const std::uint64_t bytes = loops.carried_bytes(loop.function);
        // Two loops with unequal bounds, one in the other, are miscompiled.
        if (bytes == 0 || loops.most_trips(index) < fewest_trips ||
            loops.loop_around(index) != none || loops.has_loop_inside(index, true))
            continue;
        const auto blocks = LoopBlocks::read(input, loops, index);
        Finding finding;
        finding.rule = "loop-split";
        finding.place = loops.place_of(index);
        finding.bytes = bytes;
        finding.message =
            fmt::format("'{}' stores {} B for the trips of its loops; with some trips "
                        "of this one unrolled it stores less",
                        model.functions[loop.function].name, bytes);
        if (!blocks)
            finding.why_not.push_back(blocks.error().message);
        const bool through_call = !loops.cost().carries_through(index).empty();
        for (std::int64_t size : blocks ? sizes_for(*blocks, input.searching, through_call)
                                        : std::vector<std::int64_t>{})
            finding.fixes.push_back(split(model, loop, *blocks, size, loops.name_of(index)));
        if (blocks && finding.fixes.empty())
            finding.why_not.push_back("no number of trips leaves none over");
        finding.severity = finding.fixes.empty() ? Severity::note : Severity::cost;
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace slimgrad
