#include "plugin/verify/device_memory.h"

#include "plugin/verify/aliasing.h"
#include "plugin/verify/kernel_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace slimgrad::verify {

std::vector<unsigned char> with_device_addresses(std::vector<unsigned char> bytes,
                                                 const BlockPlan& block,
                                                 const DeviceAddresses& addresses) {
    const auto write = [&](std::uint64_t offset, std::uint64_t address) {
        std::memcpy(&bytes[offset], &address, sizeof address);
    };
    for (const BlockPointer& pointer : block.blocks)
        write(pointer.offset, addresses.blocks[pointer.block]);
    for (const BufferHandle& handle : block.buffers)
        write(handle.offset, addresses.buffers[handle.buffer]);
    for (const TensorHandle& handle : block.tensors) // its first member
        write(handle.offset, addresses.buffers[handle.buffer]);
    return bytes;
}

Result<DeviceMemory> DeviceMemory::allocate(const CudaDevice& device, const InputPlan& plan,
                                            KernelMemory& host) {
    DeviceMemory memory(device, plan, host);
    const auto add = [&](std::vector<CudaDevice::Memory>& to, std::uint64_t bytes) -> Result<void> {
        const Result<CudaDevice::Memory> made = device.allocate(std::max<std::uint64_t>(bytes, 1));
        if (!made)
            return tl::unexpected(made.error());
        to.push_back({made->address, bytes});
        return {};
    };
    for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
        if (!plan.blocks[i].textures.empty())
            return fail("it has a texture, which slimgrad does not make on a device");
        if (const Result<void> added = add(memory.blocks_, host.block(i).size()); !added)
            return tl::unexpected(added.error());
        memory.addresses_.blocks.push_back(memory.blocks_[i].address);
    }
    const std::vector<std::size_t> shared = memory_of(plan);
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        if (shared[i] < i)
            memory.buffers_.push_back(memory.buffers_[shared[i]]);
        else if (const Result<void> added = add(memory.buffers_, host.buffer(i).size()); !added)
            return tl::unexpected(added.error());
        memory.addresses_.buffers.push_back(memory.buffers_[i].address);
    }
    return memory;
}

Result<void> DeviceMemory::upload() {
    for (std::size_t i = 0; i < buffers_.size(); ++i)
        if (const auto done = device_->upload(buffers_[i], host_->buffer(i).data()); !done)
            return done;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        std::vector<unsigned char> bytes =
            with_device_addresses(host_->block(i), plan_->blocks[i], addresses_);
        if (const auto done = device_->upload(blocks_[i], bytes.data()); !done)
            return done;
        if (i < 2)
            (i == 0 ? globals_ : parameters_) = std::move(bytes);
    }
    return {};
}

Result<void> DeviceMemory::download() const {
    for (std::size_t i = 0; i < buffers_.size(); ++i)
        if (plan_->buffers[i].writable)
            if (const auto done = device_->download(host_->buffer(i).data(), buffers_[i]); !done)
                return done;
    return {};
}

} // namespace slimgrad::verify
