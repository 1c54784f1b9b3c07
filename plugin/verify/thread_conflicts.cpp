#include "plugin/verify/thread_conflicts.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad::verify {
namespace {

bool holds_floats(const BufferPlan& buffer) {
    return std::any_of(buffer.slots.begin(), buffer.slots.end(), [](const ScalarSlot& slot) {
        return is_floating(slot.kind) || slot.kind == ScalarKind::word;
    });
}

/// The runner's results are not trusted.
const BufferPlan* buffer_of(const ScalarConflict& conflict, const InputPlan& plan) {
    const bool sound = conflict.buffer < plan.buffers.size() &&
                       !plan.buffers[conflict.buffer].slots.empty();
    return sound ? &plan.buffers[conflict.buffer] : nullptr;
}

bool has_conflict_in(const std::string& buffer, const WatchedRun& watched) {
    return std::any_of(watched.run->conflicts.begin(), watched.run->conflicts.end(),
                       [&](const ScalarConflict& conflict) {
                           const BufferPlan* in = buffer_of(conflict, *watched.plan);
                           return in && in->name == buffer;
                       });
}

Place place_of(const std::string& buffer, const InstrumentedText& text) {
    const std::string member = buffer.substr(buffer.rfind('.') + 1); // npos + 1 is 0
    Place only;
    for (const Subscript& subscript : text.subscripts) {
        const Place& place = subscript.place;
        if (subscript.name != member || place.line == 0)
            continue;
        if (only.line != 0 && (only.line != place.line || only.file != place.file))
            return {};
        only = place;
    }
    return only;
}

std::string describe(const ScalarConflict& conflict, const BufferPlan& buffer, const Place& place) {
    const auto& [first, second] = conflict.threads;
    const std::string threads =
        first.group == second.group
            ? fmt::format("threads {} and {}", first.index, second.index)
            : fmt::format("thread {} of group {} and thread {} of group {}", first.index,
                          first.group, second.index, second.group);
    return fmt::format("{} both write {}[{}]{} without atomics or a barrier between them{}: on a "
                       "device updates get lost{}",
                       threads, buffer.name, conflict.scalar / buffer.slots.size(),
                       buffer.slots[conflict.scalar % buffer.slots.size()].name,
                       place.line ? " (" + short_form(place) + ")" : "",
                       first.group == second.group
                           ? ""
                           : "; if it is meant for one group, say `groups = 1` in slimgrad.toml");
}

} // namespace

InputPlan plan_to_watch(InputPlan plan, const InstrumentedText& text) {
    if (!text.used_globals.contains("blockIdx"))
        plan.groups = 1;
    if (!text.used_globals.contains("threadIdx"))
        plan.threads = {1, 1, 1};
    return plan;
}

std::optional<ThreadConflict> find_conflict(const WatchedRun& watched, const WatchedRun* known,
                                            bool floats_only) {
    for (const ScalarConflict& conflict : watched.run->conflicts) {
        const BufferPlan* buffer = buffer_of(conflict, *watched.plan);
        if (!buffer || (floats_only && !holds_floats(*buffer)) ||
            (known && has_conflict_in(buffer->name, *known)))
            continue;
        const Place place = place_of(buffer->name, *watched.text);
        return ThreadConflict{describe(conflict, *buffer, place), place, conflict.sample};
    }
    return std::nullopt;
}

} // namespace slimgrad::verify
