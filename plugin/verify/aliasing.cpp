#include "plugin/verify/aliasing.h"

#include <algorithm>

namespace slimgrad::verify {
namespace {

/// Whether two buffers hold elements of one type, as far as their scalars tell.
bool same_elements(const BufferPlan& a, const BufferPlan& b) {
    return a.stride == b.stride &&
           std::equal(a.slots.begin(), a.slots.end(), b.slots.begin(), b.slots.end(),
                      [](const ScalarSlot& x, const ScalarSlot& y) {
                          return x.offset == y.offset && x.kind == y.kind;
                      });
}

std::vector<bool> may_alias(const InputPlan& plan) {
    std::vector<bool> result(plan.buffers.size());
    for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
        for (const BufferHandle& handle : plan.blocks[i].buffers)
            result[handle.buffer] = i == 1 || handle.form == HandleForm::pointer;
        for (const TensorHandle& handle : plan.blocks[i].tensors)
            result[handle.buffer] = true;
    }
    return result;
}

} // namespace

std::vector<std::size_t> memory_of(const InputPlan& plan) {
    const std::vector<bool> shared = may_alias(plan);
    std::vector<std::size_t> result(plan.buffers.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = i;
        for (std::size_t first = 0; plan.overlapped && shared[i] && first < i; ++first)
            if (shared[first] && same_elements(plan.buffers[first], plan.buffers[i])) {
                result[i] = result[first];
                break;
            }
    }
    return result;
}

bool overlaps(const InputPlan& plan) {
    const std::vector<std::size_t> memory = memory_of(plan);
    for (std::size_t i = 0; i < memory.size(); ++i)
        if (memory[i] != i)
            return true;
    return false;
}

} // namespace slimgrad::verify
