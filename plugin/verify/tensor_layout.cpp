#include "plugin/verify/tensor_layout.h"

#include "plugin/verify/make_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <utility>

namespace slimgrad::verify {
namespace {

/// Whether they are one tensor, or the two halves of a DiffTensorView.
bool are_of_one_tensor(const std::string& a, const std::string& b) {
    return a == b || a == gradient_tensor(b) || b == gradient_tensor(a);
}

/// Of a tensor, unless the kernel needs more.
constexpr std::uint64_t ample_elements = 1u << 18;
constexpr std::uint32_t few = 4;

/// Whether the kernel or a range asks for the size of the dimension.
bool is_asked_for(const std::string& name, std::uint32_t dimension, const TensorSizes& needed,
                  const InputRanges& given) {
    return std::any_of(needed.begin(), needed.end(),
                       [&](const auto& size) {
                           return size.first.second == dimension &&
                                  are_of_one_tensor(size.first.first, name);
                       }) ||
           std::any_of(given.begin(), given.end(), [&](const auto& range) {
               const std::string& key = range.first;
               const std::string end = fmt::format(".size[{}]", dimension);
               return key.ends_with(end) &&
                      are_of_one_tensor(key.substr(0, key.size() - end.size()), name);
           });
}

void set_sizes(InputPlan& plan, TensorHandle& tensor, std::vector<std::uint32_t> sizes) {
    BufferPlan& buffer = plan.buffers[tensor.buffer];
    tensor.strides = contiguous(sizes, buffer.stride);
    buffer.elements = elements_of(sizes);
    tensor.sizes = std::move(sizes);
}

} // namespace

std::string gradient_tensor(const std::string& tensor) {
    return tensor + ".diff";
}

std::optional<ElementType> element_type(const std::string& type) {
    const std::map<std::string, ScalarKind> kinds{
        {"float", ScalarKind::float32}, {"double", ScalarKind::float64},
        {"half", ScalarKind::half},     {"int", ScalarKind::int32},
        {"uint", ScalarKind::uint32},   {"bool", ScalarKind::boolean},
        {"int64_t", ScalarKind::int64}, {"uint64_t", ScalarKind::uint64},
        {"int16_t", ScalarKind::int16}, {"uint16_t", ScalarKind::uint16},
        {"int8_t", ScalarKind::int8},   {"uint8_t", ScalarKind::uint8}};
    const std::size_t open = type.find('<');
    if (open == std::string::npos)
        return std::nullopt;
    std::string element = type.substr(open + 1);
    ElementType result;
    constexpr std::string_view vector = "vector<";
    if (element.starts_with(vector)) {
        const std::size_t comma = element.find(',');
        if (comma == std::string::npos || comma + 1 >= element.size())
            return std::nullopt;
        const char count = element[comma + 1];
        if (count < '1' || count > '4')
            return std::nullopt;
        result.components = static_cast<std::uint32_t>(count - '0');
        element = element.substr(vector.size());
    }
    const auto kind = kinds.find(element.substr(0, element.find_first_of(",>")));
    if (kind == kinds.end())
        return std::nullopt;
    result.kind = kind->second;
    return result;
}

std::vector<std::uint32_t> texture_sizes(const std::string& type) {
    const std::map<std::string, std::vector<std::uint32_t>> sizes{{"Texture1D", {64}},
                                                                  {"Texture2D", {16, 16}},
                                                                  {"Texture3D", {8, 8, 8}},
                                                                  {"Texture1DArray", {64, 4}},
                                                                  {"Texture2DArray", {16, 16, 4}},
                                                                  {"TextureCube", {8, 8, 6}},
                                                                  {"TextureCubeArray", {8, 8, 12}}};
    std::string shape = type.substr(0, type.find('<'));
    if (shape.starts_with("RW"))
        shape.erase(0, 2);
    const auto found = sizes.find(shape);
    return found == sizes.end() ? std::vector<std::uint32_t>{} : found->second;
}

std::vector<std::uint32_t> default_sizes(std::uint32_t dimensions, bool plane) {
    if (plane && dimensions == 2)
        return {20, 3};
    switch (dimensions) {
    case 1:
        return {50};
    case 2:
        return {50, 24};
    case 3:
        return {50, 24, 8};
    case 4:
        return {50, 24, 8, 4};
    default:
        return {50, 24, 8, 4, 4};
    }
}

std::uint64_t elements_of(const std::vector<std::uint32_t>& sizes) {
    std::uint64_t elements = 1;
    for (const std::uint32_t size : sizes)
        elements = std::min(elements * size, most_elements + 1);
    return elements;
}

std::vector<std::uint32_t> contiguous(const std::vector<std::uint32_t>& sizes,
                                      std::uint64_t element_bytes) {
    std::vector<std::uint32_t> strides(sizes.size());
    std::uint64_t stride = element_bytes;
    for (std::size_t i = sizes.size(); i-- > 0; stride *= sizes[i])
        strides[i] = static_cast<std::uint32_t>(stride);
    return strides;
}

bool resize_tensor(InputPlan& plan, const std::string& name, std::uint32_t dimension,
                   std::uint32_t size) {
    if (dimension >= most_dimensions)
        return false;
    std::vector<std::pair<TensorHandle*, std::vector<std::uint32_t>>> resized;
    for (BlockPlan& block : plan.blocks)
        for (TensorHandle& tensor : block.tensors) {
            if (!are_of_one_tensor(plan.buffers[tensor.buffer].name, name))
                continue;
            std::vector<std::uint32_t> sizes = tensor.sizes;
            sizes.resize(std::max<std::size_t>(sizes.size(), dimension + 1), 1);
            sizes[dimension] = std::max(sizes[dimension], size);
            if (elements_of(sizes) > most_elements)
                return false;
            resized.emplace_back(&tensor, std::move(sizes));
        }
    for (auto& [tensor, sizes] : resized)
        set_sizes(plan, *tensor, std::move(sizes));
    return !resized.empty();
}

void resize_tensors(InputPlan& plan, const TensorSizes& needed, const InputRanges& given) {
    for (const auto& [dimension, size] : needed)
        resize_tensor(plan, dimension.first, dimension.second, size);
    for (BlockPlan& block : plan.blocks)
        for (TensorHandle& tensor : block.tensors) {
            const std::string& name = plan.buffers[tensor.buffer].name;
            std::vector<std::uint32_t> sizes = tensor.sizes;
            std::vector<std::uint32_t*> free;
            for (std::uint32_t i = 0; i < sizes.size(); ++i)
                if (!is_asked_for(name, i, needed, given))
                    free.push_back(&sizes[i]);
            while (!free.empty() && elements_of(sizes) > ample_elements) {
                std::uint32_t& largest = **std::max_element(
                    free.begin(), free.end(), [](const auto* a, const auto* b) { return *a < *b; });
                if (largest <= few)
                    break;
                largest = std::max(few, largest / 2);
            }
            if (sizes != tensor.sizes)
                set_sizes(plan, tensor, std::move(sizes));
        }
}

} // namespace slimgrad::verify
