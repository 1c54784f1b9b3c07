#include "plugin/verify/kernel_memory.h"

#include "plugin/verify/aliasing.h"
#include "plugin/verify/run_results.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace slimgrad::verify {
namespace {

std::uint64_t read_bits(const unsigned char* at, ScalarKind kind) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, size_of(kind));
    return bits;
}

void write_bits(unsigned char* at, std::uint64_t bits, ScalarKind kind) {
    std::memcpy(at, &bits, size_of(kind));
}

struct TensorView { // of Slang's CUDA prelude
    void* data = nullptr;
    std::uint32_t strides[most_dimensions] = {};
    std::uint32_t sizes[most_dimensions] = {};
    std::uint32_t dimensions = 0;
};

} // namespace

KernelMemory::KernelMemory(const InputPlan& plan)
    : plan_(plan), values_(plan.seed), memory_of_(memory_of(plan)) {
    buffers_.resize(plan.buffers.size());
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        const std::uint64_t bytes = plan.buffers[i].elements * plan.buffers[i].stride;
        bytes_of(i).resize(std::max<std::uint64_t>(bytes_of(i).size(), bytes));
    }
    for (const BlockPlan& block : plan.blocks)
        blocks_.emplace_back(std::max<std::uint64_t>(block.bytes, 1));
    before_.resize(buffers_.size());
}

void KernelMemory::fill(std::uint32_t sample, std::uint32_t round) {
    // Copies go to the same places: the blocks hold their addresses.
    if (round == 0)
        draw(sample);
    else
        for (auto [from, to] :
             {std::pair{&drawn_blocks_, &blocks_}, std::pair{&drawn_buffers_, &buffers_}})
            for (std::size_t i = 0; i < from->size(); ++i)
                std::copy((*from)[i].begin(), (*from)[i].end(), (*to)[i].begin());
    if (plan_.rounds.size() > 1 && round == 0) {
        drawn_blocks_ = blocks_;
        drawn_buffers_ = buffers_;
    }
    if (!plan_.rounds.empty()) {
        give(plan_.rounds[round].fixed);
        for (const InputStep& step : plan_.rounds[round].steps)
            move(step, sample);
    }
    for (std::size_t i = 0; i < buffers_.size(); ++i)
        if (plan_.buffers[i].writable)
            before_[i] = bytes_of(i);
}

void KernelMemory::draw(std::uint32_t sample) {
    std::uint32_t input = 0;
    textures_.clear();
    for (std::size_t i = 0; i < plan_.blocks.size(); ++i) {
        const BlockPlan& block = plan_.blocks[i];
        std::fill(blocks_[i].begin(), blocks_[i].end(), 0);
        if (plan_.given.empty())
            fill_slots(blocks_[i], block, sample, input);
        write_handles(blocks_[i], block);
    }
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        std::fill(buffers_[i].begin(), buffers_[i].end(), 0);
        if (plan_.given.empty() && memory_of_[i] == i)
            fill_buffer(i, sample, input);
    }
    if (!plan_.given.empty())
        give(plan_.given[sample]);
    give(plan_.fixed);
    for (const InputStep& step : plan_.steps)
        move(step, sample);
}

void KernelMemory::write_handles(Bytes& bytes, const BlockPlan& block) {
    const auto write = [&](std::uint64_t offset, const auto& value) {
        std::memcpy(&bytes[offset], &value, sizeof value);
    };
    for (const BlockPointer& pointer : block.blocks)
        write(pointer.offset, blocks_[pointer.block].data());
    for (const BufferHandle& handle : block.buffers) {
        const BufferPlan& buffer = plan_.buffers[handle.buffer];
        const std::uint64_t count = handle.form == HandleForm::pointer_and_bytes
                                        ? buffer.elements * buffer.stride
                                        : buffer.elements;
        write(handle.offset, bytes_of(handle.buffer).data());
        if (handle.form != HandleForm::pointer)
            write(handle.offset + sizeof(void*), count);
    }
    for (const TensorHandle& handle : block.tensors) {
        TensorView view;
        view.data = bytes_of(handle.buffer).data();
        view.dimensions = static_cast<std::uint32_t>(handle.sizes.size());
        std::copy(handle.sizes.begin(), handle.sizes.end(), view.sizes);
        std::copy(handle.strides.begin(), handle.strides.end(), view.strides);
        write(handle.offset, view);
    }
    for (const TextureHandle& handle : block.textures) {
        const BufferPlan& buffer = plan_.buffers[handle.buffer];
        HostTexture& texture = textures_.emplace_back();
        texture.texels = bytes_of(handle.buffer).data();
        texture.dimensions = static_cast<std::uint32_t>(handle.sizes.size());
        std::copy(handle.sizes.begin(), handle.sizes.end(), texture.sizes.begin());
        texture.components = static_cast<std::uint32_t>(buffer.slots.size());
        texture.kind = buffer.slots.front().kind;
        write(handle.offset, &texture);
    }
}

void KernelMemory::fill_slots(Bytes& bytes, const BlockPlan& block, std::uint32_t sample,
                              std::uint32_t& input) {
    for (const ScalarSlot& slot : block.slots) {
        const InputValues::Stream stream = values_.stream(sample, slot.name, input);
        input += slot.values.first.empty() ? 0 : 1;
        write_bits(&bytes[slot.offset], values_.draw(stream, 0, slot.values, slot.kind), slot.kind);
    }
}

void KernelMemory::fill_buffer(std::size_t index, std::uint32_t sample, std::uint32_t& input) {
    const BufferPlan& buffer = plan_.buffers[index];
    unsigned char* bytes = buffers_[index].data();
    for (const ScalarSlot& slot : buffer.slots) {
        const InputValues::Stream stream = values_.stream(sample, buffer.name + slot.name, input);
        input += slot.values.first.empty() ? 0 : 1;
        for (std::uint64_t i = 0; i < buffer.elements; ++i)
            write_bits(bytes + i * buffer.stride + slot.offset,
                       values_.draw(stream, i, slot.values, slot.kind), slot.kind);
    }
    for (const ElementValues& exception : buffer.exceptions) {
        if (exception.element >= buffer.elements)
            continue;
        const ScalarSlot& slot = buffer.slots[exception.slot];
        const InputValues::Stream stream = values_.stream(sample, buffer.name + slot.name, input);
        input += exception.values.first.empty() ? 0 : 1;
        write_bits(bytes + exception.element * buffer.stride + slot.offset,
                   values_.draw(stream, exception.element, exception.values, slot.kind), slot.kind);
    }
}

void KernelMemory::give(const Values& values) {
    if (values.empty())
        return;
    for (std::size_t i = 0; i < plan_.blocks.size(); ++i)
        for (const ScalarSlot& slot : plan_.blocks[i].slots)
            if (const auto found = values.find(slot.name);
                found != values.end() && !found->second.empty())
                write_bits(&blocks_[i][slot.offset], bits_of_value(found->second[0], slot.kind),
                           slot.kind);
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        const BufferPlan& buffer = plan_.buffers[i];
        const auto found = values.find(buffer.name);
        if (found == values.end())
            continue;
        const std::size_t count =
            std::min(found->second.size(), buffer.elements * buffer.slots.size());
        for (std::size_t k = 0; k < count; ++k) {
            const ScalarSlot& slot = buffer.slots[k % buffer.slots.size()];
            write_bits(&bytes_of(i)[k / buffer.slots.size() * buffer.stride + slot.offset],
                       bits_of_value(found->second[k], slot.kind), slot.kind);
        }
    }
}

void KernelMemory::move(const InputStep& step, std::uint32_t sample) {
    const InputValues::Stream directions = values_.directions(sample, step.name);
    const auto moved = [&](unsigned char* at, ScalarKind kind, std::uint64_t index) {
        const double value = value_of_bits(read_bits(at, kind), kind);
        const double direction = values_.direction(directions, index);
        write_bits(at, bits_of_value(value + step.size * direction, kind), kind);
    };
    for (std::size_t i = 0; i < plan_.blocks.size(); ++i)
        for (const ScalarSlot& slot : plan_.blocks[i].slots)
            if (slot.name == step.name && is_floating(slot.kind))
                moved(&blocks_[i][slot.offset], slot.kind, 0);
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        const BufferPlan& buffer = plan_.buffers[i];
        if (buffer.name != step.name)
            continue;
        for (std::uint64_t k = 0; k < buffer.elements * buffer.slots.size(); ++k) {
            const ScalarSlot& slot = buffer.slots[k % buffer.slots.size()];
            if (is_floating(slot.kind))
                moved(&bytes_of(i)[k / buffer.slots.size() * buffer.stride + slot.offset],
                      slot.kind, k);
        }
    }
}

bool KernelMemory::write_changes(std::uint32_t sample, std::FILE* file) const {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        const BufferPlan& buffer = plan_.buffers[i];
        if (!buffer.writable)
            continue;
        const Bytes& bytes = bytes_of(i);
        std::vector<Change> changes;
        for (std::uint64_t element = 0; element < buffer.elements; ++element) {
            const std::uint64_t at = element * buffer.stride;
            if (std::memcmp(&before_[i][at], &bytes[at], buffer.stride) == 0)
                continue;
            for (std::size_t slot = 0; slot < buffer.slots.size(); ++slot) {
                const ScalarSlot& scalar = buffer.slots[slot];
                const std::uint64_t before =
                    read_bits(&before_[i][at + scalar.offset], scalar.kind);
                const std::uint64_t after = read_bits(&bytes[at + scalar.offset], scalar.kind);
                if (before != after)
                    changes.push_back({element * buffer.slots.size() + slot, before, after});
            }
        }
        if (!verify::write_changes(sample, static_cast<std::uint32_t>(i), changes, file))
            return false;
    }
    return true;
}

const BufferPlan* KernelMemory::buffer_at(const void* data) const {
    for (std::size_t i = 0; i < buffers_.size(); ++i)
        if (buffers_[i].data() == data)
            return &plan_.buffers[i];
    return nullptr;
}

std::vector<WriteWatch::Region> KernelMemory::watched() const {
    std::vector<WriteWatch::Region> regions(buffers_.size());
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        const BufferPlan& buffer = plan_.buffers[i];
        if (!buffer.writable || memory_of_[i] != i)
            continue;
        std::vector<std::uint32_t> places(buffer.stride, WriteWatch::padding);
        for (const ScalarSlot& slot : buffer.slots)
            for (std::uint32_t k = 0; k < size_of(slot.kind); ++k) // a word may be two halves
                places[slot.offset + k] = static_cast<std::uint32_t>(
                    slot.offset + (slot.kind == ScalarKind::word ? k / 2 * 2 : 0));
        regions[i] = {buffers_[i].data(), buffers_[i].size(), std::move(places)};
    }
    return regions;
}

} // namespace slimgrad::verify
