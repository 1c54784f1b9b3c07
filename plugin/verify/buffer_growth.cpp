#include "plugin/verify/buffer_growth.h"

#include "plugin/verify/make_plan.h"

#include <algorithm>

namespace slimgrad::verify {
namespace {

/// How many elements the buffer needs so that the index fits; 0 if no size would do.
std::uint64_t elements_needed(const KernelRun& run, const InputPlan& plan) {
    constexpr std::uint64_t widest_access =
        16; // of a byte-address buffer, whose count and index are bytes
    const auto buffer =
        std::find_if(plan.buffers.begin(), plan.buffers.end(),
                     [&](const BufferPlan& candidate) { return candidate.name == run.buffer; });
    if (buffer == plan.buffers.end())
        return 0;
    if (buffer->elements < usual_elements)
        return usual_elements;
    if (run.index > most_elements * buffer->stride)
        return 0;
    const bool in_bytes = run.count != buffer->elements;
    const std::uint64_t needed =
        in_bytes ? (run.index + widest_access) / buffer->stride : run.index + 1;
    std::uint64_t elements = buffer->elements;
    while (elements < needed)
        elements *= 4;
    return elements > buffer->elements && elements <= most_elements ? elements : 0;
}

} // namespace

bool BufferGrowth::note_larger(const KernelRun& run, const InputPlan& plan) {
    if (run.dimension) {
        // Twice as long each time: what walks along a tensor would ask for one more every time.
        const std::uint64_t needed = std::max(run.index + 1, 2 * run.count);
        InputPlan trial = plan;
        if (needed > most_elements ||
            !resize_tensor(trial, run.buffer, *run.dimension, static_cast<std::uint32_t>(needed)))
            return false;
        tensor_sizes[{run.buffer, *run.dimension}] = static_cast<std::uint32_t>(needed);
        return true;
    }
    const std::uint64_t needed = elements_needed(run, plan);
    if (needed > 0)
        elements[run.buffer] = needed;
    return needed > 0;
}

bool BufferGrowth::note_usual(const KernelRun& run, const InputPlan& plan) {
    if (run.end != KernelRun::End::out_of_range || run.dimension)
        return false;
    for (const BufferPlan& buffer : plan.buffers)
        if (buffer.name == run.buffer && buffer.elements < usual_elements) {
            elements[run.buffer] = usual_elements;
            return true;
        }
    return false;
}

void BufferGrowth::apply(InputPlan& plan, const InputRanges& given) const {
    for (BufferPlan& buffer : plan.buffers)
        if (const auto found = elements.find(buffer.name); found != elements.end())
            buffer.elements = std::max(buffer.elements, found->second);
    resize_tensors(plan, tensor_sizes, given);
}

} // namespace slimgrad::verify
