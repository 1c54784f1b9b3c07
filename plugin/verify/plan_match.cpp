#include "plugin/verify/plan_match.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace slimgrad::verify {
namespace {

/// The names of all inputs, and whether the values of others depend on there being this one.
std::map<std::string, bool> input_names(const InputPlan& plan) {
    std::map<std::string, bool> names;
    const auto pairs_values = [](const std::vector<ScalarSlot>& slots) {
        return std::any_of(slots.begin(), slots.end(),
                           [](const ScalarSlot& slot) { return !slot.values.first.empty(); });
    };
    for (const BufferPlan& buffer : plan.buffers)
        names[buffer.name] = pairs_values(buffer.slots) || !buffer.exceptions.empty();
    for (const BlockPlan& block : plan.blocks)
        for (const ScalarSlot& slot : block.slots)
            names[slot.name] = !slot.values.first.empty();
    return names;
}

} // namespace

std::string unlike_buffer(const InputPlan& a, const InputPlan& b) {
    for (const BufferPlan& buffer : a.buffers) {
        const auto named = [&](const BufferPlan& other) { return other.name == buffer.name; };
        if (std::count_if(a.buffers.begin(), a.buffers.end(), named) > 1)
            return buffer.name;
        const auto other = std::find_if(b.buffers.begin(), b.buffers.end(), named);
        if (other == b.buffers.end())
            continue;
        // The machines pad structures differently.
        const bool padded_alike = a.machine != b.machine || other->stride == buffer.stride;
        if (!padded_alike || other->writable != buffer.writable ||
            other->slots.size() != buffer.slots.size())
            return buffer.name;
    }
    return "";
}

std::string unshared_input(const InputPlan& a, const InputPlan& b) {
    const std::map<std::string, bool> left = input_names(a), right = input_names(b);
    std::string only[2];
    for (const auto& [name, pairs] : left)
        if (!right.contains(name)) {
            if (pairs)
                return name;
            only[0] = name;
        }
    for (const auto& [name, pairs] : right)
        if (!left.contains(name)) {
            if (pairs)
                return name;
            only[1] = name;
        }
    return only[1].empty() ? "" : only[0];
}

std::vector<std::uint32_t> group_size(const Reflection& reflection, std::string_view entry_point) {
    for (const EntryPoint& entry : reflection.entry_points)
        if (entry.name == entry_point && !entry.stage.empty())
            return {std::begin(entry.thread_group), std::end(entry.thread_group)};
    return {};
}

} // namespace slimgrad::verify
