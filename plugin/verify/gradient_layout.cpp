#include "plugin/verify/gradient_layout.h"

#include "attributes/constants.h"
#include "attributes/expression_text.h"
#include "plugin/verify/tensor_layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <vector>

namespace slimgrad::verify {
namespace {

const TensorHandle* find_tensor(const InputPlan& plan, const std::string& name) {
    for (const BlockPlan& block : plan.blocks)
        for (const TensorHandle& tensor : block.tensors)
            if (plan.buffers[tensor.buffer].name == name)
                return &tensor;
    return nullptr;
}

/// By dimension; one number for a buffer.
std::vector<std::uint32_t> shape_of(const InputPlan& plan, const std::string& name) {
    for (const BlockPlan& block : plan.blocks)
        for (const TextureHandle& texture : block.textures)
            if (plan.buffers[texture.buffer].name == name)
                return texture.sizes;
    const TensorHandle* tensor = find_tensor(plan, name);
    return tensor ? tensor->sizes : std::vector<std::uint32_t>{0};
}

} // namespace

std::string unknown_layout(const InputPlan& plan, const GradientPair& pair) {
    const std::vector<std::uint32_t> own = shape_of(plan, pair.buffer);
    if (own.size() < 2 || own == shape_of(plan, pair.gradient))
        return "";
    return fmt::format("whether {} has them in the order of {}'s {} elements", pair.gradient,
                       pair.buffer, fmt::join(own, " x "));
}

std::vector<std::string> sizes_of_order(const InputPlan& plan, const std::string& name) {
    std::vector<std::string> sizes;
    // The last dimension of a tensor is contiguous, of a texture the first.
    const std::size_t first = find_tensor(plan, name) ? 1 : 0;
    for (std::size_t i = 0; i + 1 < shape_of(plan, name).size(); ++i)
        sizes.push_back(fmt::format("{}.size[{}]", name, first + i));
    return sizes;
}

bool may_have_fewer_dimensions(const InputPlan& plan, const KernelRun& run,
                               const std::string& name) {
    const TensorHandle* tensor = find_tensor(plan, name);
    if (!tensor || tensor->sizes.size() < 2)
        return false;
    const std::uint64_t row = tensor->sizes.back() * plan.buffers[tensor->buffer].slots.size();
    return std::all_of(run.changes.begin(), run.changes.end(), [&](const BufferChanges& changes) {
        return changes.buffer != tensor->buffer ||
               std::all_of(
                   changes.changes.begin(), changes.changes.end(), [&](const Change& change) {
                       return change.index % row < plan.buffers[tensor->buffer].slots.size();
                   });
    });
}

void even_shapes(InputPlan& plan, const GradientPair& pair) {
    const TensorHandle* own = find_tensor(plan, pair.buffer);
    const TensorHandle* gradient = find_tensor(plan, pair.gradient);
    if (!own || !gradient)
        return;
    const std::vector<std::uint32_t> shapes[] = {own->sizes, gradient->sizes};
    for (const std::vector<std::uint32_t>& shape : shapes)
        for (std::uint32_t i = 0; i < shape.size(); ++i)
            for (const std::string* name : {&pair.buffer, &pair.gradient})
                resize_tensor(plan, *name, i, shape[i]);
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
