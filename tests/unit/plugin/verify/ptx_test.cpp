#include "plugin/verify/ptx.h"

#include "plugin/verify/texture.h"

#include <bit>
#include <cstring>
#include <doctest/doctest.h>

using namespace slimgrad::verify;

namespace {

template <class T> PtxOperand operand(T& variable) {
    return {&variable, sizeof(T), 0};
}

} // namespace

TEST_CASE("reductions change memory") {
    float memory = 2, value = 0.5f;
    float* address = &memory;
    const PtxOperand operands[] = {operand(address), operand(value)};
    CHECK(run_ptx("red.relaxed.gpu.global.add.f32 [%0], %1;", operands, 2, 0) == "");
    CHECK(memory == 2.5f);
    std::uint32_t count = 7, other = 3;
    std::uint32_t* counter = &count;
    const PtxOperand counters[] = {operand(counter), operand(other)};
    CHECK(run_ptx("red.relaxed.gpu.global.add.u32 [%0], -1;", counters, 1, 0) == "");
    CHECK(count == 6);
    CHECK(run_ptx("red.relaxed.gpu.global.min.u32 [%0], %1;", counters, 2, 0) == "");
    CHECK(count == 3);
}

TEST_CASE("halves are added in pairs") {
    std::uint32_t memory = 0x3c004000, value = 0x3c003c00; // 1 and 2; 1 and 1
    std::uint32_t* address = &memory;
    const PtxOperand operands[] = {operand(address), operand(value)};
    CHECK(run_ptx("red.relaxed.gpu.global.add.noftz.f16x2 [%0], %1;", operands, 2, 0) == "");
    CHECK(memory == 0x40004200); // 2 and 3
}

TEST_CASE("lanes, sizes and texels") {
    std::uint32_t lane = 0;
    const PtxOperand lanes[] = {operand(lane)};
    CHECK(run_ptx("mov.u32 %0, %laneid;", lanes, 1, 21) == "");
    CHECK(lane == 21);

    float texels[6] = {1, 2, 3, 4, 5, 6};
    HostTexture texture;
    texture.texels = reinterpret_cast<unsigned char*>(texels);
    texture.sizes = {3, 2, 1};
    texture.dimensions = 2;
    std::uint32_t width = 0, height = 0;
    const HostTexture* handle = &texture;
    const PtxOperand sizes[] = {operand(width), operand(height), operand(handle)};
    CHECK(run_ptx("txq.width.b32 %0, [%2]; txq.height.b32 %1, [%2];", sizes, 3, 0) == "");
    CHECK(width == 3);
    CHECK(height == 2);

    float texel = 0, unused = 0;
    int x = 1, y = 1, level = 0;
    const PtxOperand fetch[] = {operand(texel),  operand(unused), operand(unused), operand(unused),
                                operand(handle), operand(x),      operand(y),      operand(level)};
    CHECK(run_ptx("tex.level.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;", fetch, 8, 0) ==
          "");
    CHECK(texel == 5);
}

TEST_CASE("what is not known is named, and what is malformed does nothing") {
    std::uint32_t a = 1;
    const PtxOperand operands[] = {operand(a)};
    CHECK(run_ptx("cp.async.wait_all;", operands, 1, 0) == "cp.async.wait_all");
    CHECK(run_ptx("mov.u32 %0, %clock;", operands, 1, 0) == "mov.u32 %0, %clock");
    CHECK(run_ptx("mov.u32 %7, %laneid;", operands, 1, 0) == "mov.u32 %7, %laneid");
    CHECK(a == 1);
}

TEST_CASE("which memory a reduction changes") {
    float memory = 2, value = 0.5f;
    float* address = &memory;
    const PtxOperand operands[] = {operand(address), operand(value)};
    const PtxReduction reduction =
        ptx_reduction("red.relaxed.gpu.global.add.f32 [%0], %1;", operands, 2);
    CHECK(reduction.address == &memory);
    CHECK(reduction.bytes == 4);
    CHECK_FALSE(reduction.integer);
    CHECK(ptx_reduction("red.relaxed.gpu.global.or.b64 [%0], %1;", operands, 2).bytes == 8);
    CHECK(ptx_reduction("red.relaxed.gpu.global.or.b64 [%0], %1;", operands, 2).integer);
    CHECK(ptx_reduction("red.relaxed.gpu.global.add.noftz.f16 [%0], %1;", operands, 2).bytes == 2);
    CHECK(ptx_reduction("red.relaxed.gpu.global.add.noftz.f16x2 [%0], %1;", operands, 2).bytes ==
          4);
    CHECK(ptx_reduction("mov.u32 %0, %laneid;", operands, 2).bytes == 0);
}
