#include "plugin/verify/device_heap.h"

#include <algorithm>
#include <charconv>

namespace slimgrad::verify {

Result<std::optional<DeviceHeap>> DeviceHeap::allocate(const CudaDevice& device,
                                                       const std::string& symbol,
                                                       std::uint64_t threads, std::uint64_t trips) {
    const auto variable = device.variable("slimgrad_checkpoint_of_" + name_of_symbol(symbol));
    if (!variable)
        return std::nullopt;
    const auto descriptor = device.variable("slimgrad_checkpoint_heap");
    if (!descriptor || descriptor->bytes != sizeof(CheckpointDescriptor))
        return fail("there is no slimgrad_checkpoint_heap beside its slimgrad_checkpoint_of");
    std::vector<unsigned char> bytes(variable->bytes);
    if (const Result<void> done = device.download(bytes.data(), *variable); !done)
        return tl::unexpected(done.error());
    const CheckpointNeeds needs = checkpoint_needs(bytes.data(), bytes.size(), threads, trips);
    if (!needs.problem.empty())
        return fail(needs.problem);
    DeviceHeap heap(device);
    heap.descriptor_ = *descriptor;
    for (const auto& [memory, size] :
         {std::pair{&heap.heap_, std::max<std::uint64_t>(needs.bytes(), 8)},
          std::pair{&heap.overflow_, std::uint64_t{sizeof(std::uint32_t)}}}) {
        const Result<CudaDevice::Memory> allocated = device.allocate(size);
        if (!allocated)
            return tl::unexpected(allocated.error());
        *memory = *allocated;
    }
    heap.published_ = {heap.heap_.address, needs.bytes(), needs.threads, trips,
                       heap.overflow_.address};
    return heap;
}

Result<void> DeviceHeap::publish() const {
    const std::vector<std::uint32_t> nothing(heap_.bytes / sizeof no_checkpoint, no_checkpoint);
    const std::uint32_t zero = 0;
    for (const auto& [memory, from] :
         {std::pair{&heap_, static_cast<const void*>(nothing.data())},
          std::pair{&overflow_, static_cast<const void*>(&zero)},
          std::pair{&descriptor_, static_cast<const void*>(&published_)}})
        if (const Result<void> done = device_->upload(*memory, from); !done)
            return done;
    return {};
}

Result<std::string> DeviceHeap::overflow() const {
    std::uint32_t slots = 0;
    if (const Result<void> done = device_->download(&slots, overflow_); !done)
        return tl::unexpected(done.error());
    return describe_overflow(slots);
}

std::string name_of_symbol(const std::string& symbol) {
    if (!symbol.starts_with("_Z"))
        return symbol;
    std::size_t length = 0;
    const char* const end = symbol.data() + symbol.size();
    const auto [name, error] = std::from_chars(symbol.data() + 2, end, length);
    if (error != std::errc{} || length > static_cast<std::size_t>(end - name))
        return symbol;
    return std::string(name, length);
}

} // namespace slimgrad::verify
