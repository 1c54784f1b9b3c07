#include "plugin/verify/aliasing.h"

#include <doctest/doctest.h>

using namespace slimgrad::verify;

namespace {

BufferPlan floats(const std::string& name) {
    BufferPlan buffer;
    buffer.name = name;
    buffer.elements = 4;
    buffer.stride = 4;
    buffer.slots.push_back({"", 0, ScalarKind::float32, {}});
    return buffer;
}

/// Three buffers: a global binding, a global pointer, a parameter of the entry point.
InputPlan plan() {
    InputPlan result;
    result.overlapped = true;
    result.blocks.resize(2);
    result.buffers = {floats("gIn"), floats("gPointer"), floats("out")};
    result.blocks[0].buffers = {{0, 0, HandleForm::pointer_and_count},
                                {16, 1, HandleForm::pointer}};
    result.blocks[1].buffers = {{0, 2, HandleForm::pointer_and_count}};
    return result;
}

} // namespace

TEST_CASE("pointers and parameters share memory, distinct global bindings do not") {
    CHECK(memory_of(plan()) == std::vector<std::size_t>{0, 1, 1});
    CHECK(overlaps(plan()));
}

TEST_CASE("nothing overlaps unless asked for") {
    InputPlan apart = plan();
    apart.overlapped = false;
    CHECK(memory_of(apart) == std::vector<std::size_t>{0, 1, 2});
    CHECK_FALSE(overlaps(apart));
}

TEST_CASE("elements of another type have memory of their own") {
    InputPlan other = plan();
    other.buffers[2].slots[0].kind = ScalarKind::int32;
    CHECK_FALSE(overlaps(other));
}

TEST_CASE("tensors may alias") {
    InputPlan tensors = plan();
    tensors.blocks[1].buffers.clear();
    tensors.blocks[1].tensors = {{0, 0, {4}, {4}}, {56, 2, {4}, {4}}};
    CHECK(memory_of(tensors) == std::vector<std::size_t>{0, 0, 0});
}
