#include "plugin/verify/device_memory.h"

#include <cstring>
#include <doctest/doctest.h>

using namespace slimgrad::verify;

namespace {

template <class T> T at(const std::vector<unsigned char>& bytes, std::uint64_t offset) {
    T value;
    std::memcpy(&value, &bytes[offset], sizeof value);
    return value;
}

/// {constant buffer*; {T*, count}; T*; TensorView; float}
BlockPlan block_of_everything() {
    BlockPlan block;
    block.bytes = 96;
    block.blocks = {{0, 2}};
    block.buffers = {{8, 1, HandleForm::pointer_and_count}, {24, 0, HandleForm::pointer}};
    block.tensors = {{32, 2, {4, 8}, {32, 4}}};
    return block;
}

} // namespace

TEST_CASE("with_device_addresses replaces every address and nothing else") {
    const BlockPlan block = block_of_everything();
    const std::vector<unsigned char> host(block.bytes, 0x5a);
    const DeviceAddresses addresses{{0x1000, 0x2000, 0x3000}, {0x70000, 0x80000, 0x90000}};
    const std::vector<unsigned char> device = with_device_addresses(host, block, addresses);
    REQUIRE(device.size() == host.size());
    CHECK(at<std::uint64_t>(device, 0) == 0x3000);
    CHECK(at<std::uint64_t>(device, 8) == 0x80000);
    CHECK(at<std::uint64_t>(device, 24) == 0x70000);
    CHECK(at<std::uint64_t>(device, 32) == 0x90000);
    for (std::size_t i = 0; i < device.size(); ++i) {
        const bool address = i < 16 || (i >= 24 && i < 40);
        CAPTURE(i);
        if (!address)
            CHECK(device[i] == 0x5a);
    }
}

TEST_CASE("with_device_addresses: a block without addresses stays as it is") {
    BlockPlan block;
    block.bytes = 12;
    block.slots = {{"scale", 8, ScalarKind::float32, {}}};
    const std::vector<unsigned char> host{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    CHECK(with_device_addresses(host, block, {}) == host);
}
