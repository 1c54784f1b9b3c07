#include "attributes/carried_array.h"

#include "attributes/checkpointed_loops.h"
#include "attributes/constants.h"
#include "attributes/element_update.h"
#include "attributes/expression_text.h"
#include "attributes/loop_form.h"
#include "attributes/outlined_function.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

namespace {

/// What the report says of a variable that is stored as a whole array for every trip.
std::uint64_t bytes_of(const RuleInput& input, const LocalVariable& local) {
    const Place place = input.model.place(local.site);
    std::uint64_t bytes = 0;
    for (const CheckpointContext& context : input.compiled.contexts)
        for (const CheckpointValue& value : context.values)
            if (value.place == place && value.type.starts_with("FixedArray<FixedArray<"))
                bytes += value.bytes;
    return bytes;
}

/// By the loop itself, not by one in it.
bool is_set_in(const ModuleModel& model, Index loop, Index array) {
    return std::any_of(model.accesses.begin(), model.accesses.end(), [&](const Access& access) {
        return access.local == array && access.kind != AccessKind::read && access.loop == loop;
    });
}

/// Whether the loop hands nothing but the array on to its next trip.
bool carries_only(const ModuleModel& model, const Loop& loop, Index array) {
    return std::none_of(model.accesses.begin(), model.accesses.end(), [&](const Access& access) {
        const bool is_own =
            access.local != none && loop.site.range.contains(model.locals[access.local].site.range);
        return access.kind != AccessKind::read && access.site.file == loop.site.file &&
               loop.body.contains(access.site.range) && access.local != array && !is_own;
    });
}

/// The form that loop-replay does not offer, because the array goes through a call: where each trip
/// has an element of its own, no trip waits for another one.
void add_unrolled(const RuleInput& input, CheckpointedLoops& loops, Index index, Index array,
                  Finding& finding) {
    const ModuleModel& model = input.model;
    const Loop& loop = model.loops[index];
    const auto trips = loops.cost().trips(index);
    std::string why;
    if (loops.cost().carries_through(index).empty() || (trips && *trips <= most_trips_through_call))
        return; // loop-replay's
    if (!trips)
        why = "its number of trips is no constant";
    else if (*trips > most_unrolled_trips)
        why = fmt::format("{} trips are too many to unroll", *trips);
    else if (!carries_only(model, loop, array))
        why = "it hands on more than the array: unrolled it may take slangc long";
    else
        why = why_form_is_kept(model, loop);
    if (!why.empty())
        return finding.why_not.push_back("not unrolled: " + why);
    Fix fix;
    fix.description = fmt::format("unroll {} with [ForceUnroll]", loops.name_of(index));
    fix.edits.push_back(unroll(model, loop));
    finding.fixes.push_back(std::move(fix));
}

Finding finding_for(const RuleInput& input, CheckpointedLoops& loops, Index index, Index array) {
    const ModuleModel& model = input.model;
    const std::string& name = model.locals[array].name;
    Finding finding;
    finding.rule = "carried-array";
    finding.place = loops.place_of(index);
    finding.bytes = bytes_of(input, model.locals[array]);
    finding.message = fmt::format("'{}' is stored as a whole in every trip, {} B: this loop reads "
                                  "and sets its elements",
                                  name, finding.bytes);
    const auto update = ElementUpdate::read(input, loops, index, array);
    if (!update) {
        finding.why_not.push_back(update.error().message);
        return finding;
    }
    add_unrolled(input, loops, index, array, finding);
    const std::string why = update->why_not_set_apart();
    if (!why.empty()) {
        finding.why_not.push_back("no array of its own: " + why);
        return finding;
    }
    Fix fix;
    fix.description =
        fmt::format("let {} set an array of its own in place of '{}'", loops.name_of(index), name);
    fix.edits = update->set_apart();
    finding.fixes.push_back(std::move(fix));
    return finding;
}

} // namespace

std::vector<Finding> carried_array(const RuleInput& input) {
    const ModuleModel& model = input.model;
    CheckpointedLoops loops(input);
    std::vector<Finding> findings;
    for (Index index : loops.loops()) {
        const Loop& loop = model.loops[index];
        for (Index array = 0; array < model.locals.size(); ++array) {
            const LocalVariable& local = model.locals[array];
            if (local.function != loop.function || local.site.file != loop.site.file ||
                loop.site.range.contains(local.site.range) ||
                local.type.find('[') == local.type.npos || !is_set_in(model, index, array) ||
                bytes_of(input, local) == 0)
                continue;
            Finding finding = finding_for(input, loops, index, array);
            finding.severity = finding.fixes.empty() ? Severity::note : Severity::cost;
            findings.push_back(std::move(finding));
        }
    }
    return findings;
}

} // namespace slimgrad
