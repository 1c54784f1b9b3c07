#include "plugin/verify/kernel_memory.h"

#include <cstring>
#include <doctest/doctest.h>

using namespace slimgrad::verify;

namespace {

/// Two buffers of floats behind parameters of the entry point, one of integers, a scalar.
InputPlan two_buffers() {
    InputPlan plan;
    plan.blocks.resize(2);
    plan.blocks[1].bytes = 40;
    const ScalarSlot floats{"", 0, ScalarKind::float32, {}},
        integers{"", 0, ScalarKind::int32, {0, 9, {}}};
    plan.buffers = {{"a", 4, 4, true, {floats}, {}},
                    {"b", 6, 4, true, {floats}, {}},
                    {"n", 4, 4, true, {integers}, {}}};
    plan.blocks[1].slots.push_back({"x", 32, ScalarKind::float32, {}});
    for (std::uint32_t i = 0; i < 2; ++i)
        plan.blocks[1].buffers.push_back({i * 16, i, HandleForm::pointer_and_count});
    return plan;
}

float* buffer(KernelMemory& memory, std::size_t offset) {
    float* data = nullptr;
    std::memcpy(&data, static_cast<unsigned char*>(memory.parameters()) + offset, sizeof data);
    return data;
}

float scalar(KernelMemory& memory) {
    float value = 0;
    std::memcpy(&value, static_cast<unsigned char*>(memory.parameters()) + 32, sizeof value);
    return value;
}

} // namespace

TEST_CASE("fixed values replace those drawn, in every sample") {
    InputPlan plan = two_buffers();
    plan.fixed = {{"a", {7, 8}}, {"x", {-2}}};
    KernelMemory memory(plan);
    for (const std::uint32_t sample : {0u, 5u}) {
        memory.fill(sample);
        CHECK(buffer(memory, 0)[0] == 7);
        CHECK(buffer(memory, 0)[1] == 8);
        CHECK(buffer(memory, 0)[2] != 0);
        CHECK(scalar(memory) == -2);
    }
}

TEST_CASE("a step moves one input along the direction that the host knows") {
    InputPlan plan = two_buffers();
    KernelMemory still(plan);
    still.fill(3);
    InputPlan moved_plan = plan;
    moved_plan.steps = {{"b", 0.25}, {"x", -0.5}};
    KernelMemory moved(moved_plan);
    moved.fill(3);
    const InputValues values(plan.seed);
    for (std::uint64_t i = 0; i < 6; ++i)
        CHECK(buffer(moved, 16)[i] ==
              static_cast<float>(buffer(still, 16)[i] + 0.25 * values.direction(3, "b", i)));
    CHECK(scalar(moved) == static_cast<float>(scalar(still) - 0.5 * values.direction(3, "x", 0)));
    CHECK(buffer(moved, 0)[1] == buffer(still, 0)[1]);
    CHECK(values.direction(3, "b", 0) != values.direction(4, "b", 0));
    CHECK(values.direction(3, "b", 0) != values.direction(3, "b", 1));
}

TEST_CASE("every round of a sample starts from the same values at the same place") {
    InputPlan plan = two_buffers();
    KernelMemory still(plan);
    still.fill(3);
    plan.rounds.resize(2);
    plan.rounds[0].fixed = {{"x", {5}}};
    plan.rounds[1].steps = {{"b", 0.25}};
    KernelMemory memory(plan);
    memory.fill(3, 0);
    CHECK(scalar(memory) == 5);
    float* const place = buffer(memory, 16);
    CHECK(place[2] == buffer(still, 16)[2]);
    buffer(memory, 0)[1] = 100; // what the kernel writes does not last
    memory.fill(3, 1);
    CHECK(buffer(memory, 16) == place);
    CHECK(buffer(memory, 0)[1] == buffer(still, 0)[1]);
    CHECK(scalar(memory) == scalar(still));
    const double direction = InputValues(plan.seed).direction(3, "b", 2);
    CHECK(place[2] == static_cast<float>(buffer(still, 16)[2] + 0.25 * direction));
}

TEST_CASE("overlapped buffers of one type share memory") {
    InputPlan plan = two_buffers();
    plan.blocks[1].bytes = 56;
    plan.blocks[1].buffers.push_back({40, 2, HandleForm::pointer_and_count});
    plan.overlapped = true;
    KernelMemory memory(plan);
    memory.fill(0);
    CHECK(buffer(memory, 0) == buffer(memory, 16));
    CHECK(buffer(memory, 0) != buffer(memory, 40)); // integers
    buffer(memory, 0)[5] = 1;                       // as long as the longest of them
}
