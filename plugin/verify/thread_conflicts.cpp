#include "plugin/verify/thread_conflicts.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <regex>
#include <vector>

namespace slimgrad::verify {
namespace {

bool holds_floats(const BufferPlan& buffer) {
    return std::any_of(buffer.slots.begin(), buffer.slots.end(), [](const ScalarSlot& slot) {
        return is_floating(slot.kind) || slot.kind == ScalarKind::word;
    });
}

/// What the two threads write. The runner's results are not trusted.
struct Written {
    bool known = false;
    const BufferPlan* buffer = nullptr; ///< null: groupshared memory
};

Written written(const ScalarConflict& conflict, const InputPlan& plan) {
    if (conflict.buffer == plan.buffers.size())
        return {true, nullptr};
    if (conflict.buffer > plan.buffers.size() || plan.buffers[conflict.buffer].slots.empty())
        return {};
    return {true, &plan.buffers[conflict.buffer]};
}

bool has_conflict_in(const BufferPlan* buffer, const WatchedRun& watched) {
    return std::any_of(watched.run->conflicts.begin(), watched.run->conflicts.end(),
                       [&](const ScalarConflict& conflict) {
                           const Written in = written(conflict, *watched.plan);
                           return in.known && !in.buffer == !buffer &&
                                  (!buffer || in.buffer->name == buffer->name);
                       });
}

/// The groupshared variables, as slangc emits them: `__shared__ FixedArray<float, 64> partial_0;`.
std::vector<std::string> shared_variables(const std::string& code) {
    static const std::regex declaration(R"(__shared__[^;=\n]*?(\w+?)(_\d+)?\s*;)");
    std::vector<std::string> names;
    for (std::sregex_iterator at(code.begin(), code.end(), declaration), end; at != end; ++at)
        names.push_back((*at)[1]);
    return names;
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

/// "gW[3].x", "the groupshared variable partial", "groupshared memory (a, b)".
std::string name_of(const ScalarConflict& conflict, const BufferPlan* buffer,
                    const std::vector<std::string>& shared) {
    if (buffer)
        return fmt::format("{}[{}]{}", buffer->name, conflict.scalar / buffer->slots.size(),
                           buffer->slots[conflict.scalar % buffer->slots.size()].name);
    if (shared.size() == 1)
        return "the groupshared variable " + shared.front();
    return fmt::format("one scalar of groupshared memory ({})", fmt::join(shared, ", "));
}

std::string describe(const ScalarConflict& conflict, const std::string& name, const Place& place) {
    const auto& [first, second] = conflict.threads;
    const std::string threads =
        first.group == second.group
            ? fmt::format("threads {} and {}", first.index, second.index)
            : fmt::format("thread {} of group {} and thread {} of group {}", first.index,
                          first.group, second.index, second.group);
    return fmt::format("{} both write {} without atomics or a barrier between them{}: on a "
                       "device updates get lost{}",
                       threads, name, place.line ? " (" + short_form(place) + ")" : "",
                       first.group == second.group
                           ? ""
                           : "; if it is meant for one group, say `groups = 1` in slimgrad.toml");
}

} // namespace

InputPlan plan_to_watch(InputPlan plan, const InstrumentedText& text) {
    if (!text.used_globals.contains("blockIdx"))
        plan.groups = {1, 1, 1};
    if (!text.used_globals.contains("threadIdx"))
        plan.threads = {1, 1, 1};
    return plan;
}

std::optional<ThreadConflict> find_conflict(const WatchedRun& watched, const WatchedRun* known,
                                            bool floats_only) {
    for (const ScalarConflict& conflict : watched.run->conflicts) {
        const auto [sound, buffer] = written(conflict, *watched.plan);
        if (!sound || (floats_only && buffer && !holds_floats(*buffer)) ||
            (known && has_conflict_in(buffer, *known)))
            continue;
        std::vector<std::string> shared;
        if (!buffer)
            shared = shared_variables(watched.text->code);
        Place place;
        if (buffer)
            place = place_of(buffer->name, *watched.text);
        else if (shared.size() == 1)
            place = place_of(shared.front(), *watched.text);
        return ThreadConflict{describe(conflict, name_of(conflict, buffer, shared), place), place,
                              conflict.sample,
                              conflict.threads[0].group == conflict.threads[1].group};
    }
    return std::nullopt;
}

} // namespace slimgrad::verify
