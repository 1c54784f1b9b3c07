#include "plugin/verify/free_inputs.h"

#include "plugin/verify/make_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <vector>

namespace slimgrad::verify {
namespace {

struct FreeInput {
    std::string name;
    bool floating = false, writable = false;
};

} // namespace

std::string input_key(std::string input) {
    constexpr std::string_view size = ".size(";
    const auto open = input.rfind(size);
    if (open == std::string::npos || !input.ends_with(')'))
        return input;
    const std::string_view index =
        std::string_view(input).substr(open + size.size(), input.size() - open - size.size() - 1);
    if (index.empty() || index.find_first_not_of("0123456789") != std::string_view::npos)
        return input;
    input[open + size.size() - 1] = '[';
    input.back() = ']';
    return input;
}

bool is_free(const std::string& input, const InputRanges& ranges) {
    return !has_range(input, ranges) &&
           std::none_of(ranges.begin(), ranges.end(), [&](const auto& range) {
               return range.first.starts_with(input) &&
                      (range.first[input.size()] == '[' || range.first[input.size()] == '.');
           });
}

std::string free_inputs(const InputPlan& plan, const InputRanges& ranges) {
    constexpr std::size_t most = 3;
    std::vector<FreeInput> inputs;
    for (const BlockPlan& block : plan.blocks)
        for (const ScalarSlot& slot : block.slots)
            if (is_free(slot.name, ranges))
                inputs.push_back({slot.name, is_floating(slot.kind), false});
    for (const BufferPlan& buffer : plan.buffers)
        if (is_free(buffer.name, ranges))
            inputs.push_back({buffer.name,
                              std::any_of(buffer.slots.begin(), buffer.slots.end(),
                                          [](const auto& slot) { return is_floating(slot.kind); }),
                              buffer.writable});
    std::stable_sort(inputs.begin(), inputs.end(), [](const FreeInput& a, const FreeInput& b) {
        return a.floating != b.floating ? a.floating : a.writable < b.writable;
    });
    inputs.resize(std::min(inputs.size(), most));
    std::string text;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        text += (i == 0 ? "" : i + 1 == inputs.size() ? " and " : ", ") + inputs[i].name;
    return text;
}

bool has_free_integers(const InputPlan& plan, const InputRanges& ranges) {
    const auto integer = [](const ScalarSlot& slot) { return !is_floating(slot.kind); };
    return std::any_of(plan.blocks.begin(), plan.blocks.end(),
                       [&](const BlockPlan& block) {
                           return std::any_of(
                               block.slots.begin(), block.slots.end(), [&](const ScalarSlot& slot) {
                                   return integer(slot) && is_free(slot.name, ranges);
                               });
                       }) ||
           std::any_of(plan.buffers.begin(), plan.buffers.end(), [&](const BufferPlan& buffer) {
               return is_free(buffer.name, ranges) &&
                      std::any_of(buffer.slots.begin(), buffer.slots.end(), integer);
           });
}

std::string wanted_ranges(const std::string& inputs) {
    if (inputs.empty())
        return "its inputs other ranges";
    return inputs + (inputs.find(' ') == std::string::npos ? " a range" : " ranges");
}

std::string unknown_names(const std::vector<std::string>& unused_ranges) {
    if (unused_ranges.empty())
        return "";
    return fmt::format("; '{}' under [inputs] {} no input of this kernel",
                       fmt::join(unused_ranges, "' and '"),
                       unused_ranges.size() == 1 ? "names" : "name");
}

std::string describe(const DefaultInputs& inputs) {
    std::string text;
    if (!inputs.floats.normal())
        text += fmt::format(", floats in [{}, {}]", inputs.floats.minimum, inputs.floats.maximum);
    if (inputs.smallest_integer > 0)
        text += fmt::format(", integers from {}", inputs.smallest_integer);
    return text;
}

} // namespace slimgrad::verify
