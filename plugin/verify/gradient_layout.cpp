#include "plugin/verify/gradient_layout.h"

#include "attributes/constants.h"
#include "attributes/expression_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <vector>

namespace slimgrad::verify {
namespace {

/// By dimension; one number for a buffer.
std::vector<std::uint32_t> shape_of(const InputPlan& plan, const std::string& name) {
    for (const BlockPlan& block : plan.blocks) {
        for (const TextureHandle& texture : block.textures)
            if (plan.buffers[texture.buffer].name == name)
                return texture.sizes;
        for (const TensorHandle& tensor : block.tensors)
            if (plan.buffers[tensor.buffer].name == name)
                return tensor.sizes;
    }
    return {0};
}

} // namespace

std::string unknown_layout(const InputPlan& plan, const GradientPair& pair) {
    const std::vector<std::uint32_t> own = shape_of(plan, pair.buffer);
    if (own.size() < 2 || own == shape_of(plan, pair.gradient))
        return "";
    return fmt::format("whether {} has them in the order of {}'s {} elements", pair.gradient,
                       pair.buffer, fmt::join(own, " x "));
}

std::optional<std::uint32_t> width_in_index(const ModuleModel& model, const std::string& gradient) {
    constexpr std::int64_t largest = 256;
    std::set<std::int64_t> widths;
    for (const Access& access : model.accesses) {
        if (access.name != gradient || !access.subscript_index || access.function == none)
            continue;
        for (const std::string& name : names_in(model.text(*access.subscript_index)))
            if (const auto value = constant_value(model, access.function, name);
                value && *value > 1 && *value <= largest)
                widths.insert(*value);
    }
    if (widths.size() != 1)
        return std::nullopt;
    return static_cast<std::uint32_t>(*widths.begin());
}

} // namespace slimgrad::verify
