#include "plugin/verify/warp.h"

#include <doctest/doctest.h>

using namespace slimgrad::verify;

namespace {

/// Lanes 0 to 31 hold 10, 11, ...; those whose bit is set take part.
std::array<WarpLane, warp_size> lanes_of(std::uint32_t mask, std::uint64_t argument = 0) {
    std::array<WarpLane, warp_size> lanes{};
    for (std::uint32_t i = 0; i < warp_size; ++i)
        lanes[i] = {(mask >> i & 1) != 0, 10 + i, argument, 0};
    return lanes;
}

constexpr std::uint64_t width(std::uint64_t lanes) {
    return lanes << 32;
}

} // namespace

TEST_CASE("shuffles stay within the lanes of a width") {
    auto lanes = lanes_of(~0u, width(8) | 3);
    run_warp_operation(WarpOperation::shuffle, lanes);
    CHECK(lanes[9].result == 10 + 8 + 3);
    lanes = lanes_of(~0u, width(8) | 3);
    run_warp_operation(WarpOperation::shuffle_up, lanes);
    CHECK(lanes[13].result == 10 + 10);
    CHECK(lanes[10].result == 10 + 10); // its own: 7 is of another width
    lanes = lanes_of(~0u, width(32) | 3);
    run_warp_operation(WarpOperation::shuffle_down, lanes);
    CHECK(lanes[1].result == 10 + 4);
    CHECK(lanes[30].result == 10 + 30);
    lanes = lanes_of(~0u, width(32) | 16);
    run_warp_operation(WarpOperation::shuffle_xor, lanes);
    CHECK(lanes[17].result == 10 + 1);
}

TEST_CASE("what is read from a lane that does not take part is no number") {
    auto lanes = lanes_of(0b11, width(32) | 5);
    run_warp_operation(WarpOperation::shuffle, lanes);
    CHECK(lanes[0].result == ~0ull);
}

TEST_CASE("votes, matches and reductions count the lanes that take part") {
    auto lanes = lanes_of(0b1111);
    lanes[0].value = lanes[2].value = lanes[9].value = 1;
    lanes[1].value = lanes[3].value = 0;
    auto votes = lanes;
    run_warp_operation(WarpOperation::ballot, votes);
    CHECK(votes[3].result == 0b101);
    auto any = lanes;
    run_warp_operation(WarpOperation::match_any, any);
    CHECK(any[0].result == 0b0101);
    CHECK(any[1].result == 0b1010);
    auto all = lanes;
    run_warp_operation(WarpOperation::match_all, all);
    CHECK(all[0].result == 0);
    auto sum = lanes_of(0b1110);
    run_warp_operation(WarpOperation::reduce_add, sum);
    CHECK(sum[1].result == 11 + 12 + 13);
    auto least = lanes_of(0b1110);
    least[2].value = 0xffffffff;
    auto least_signed = least;
    run_warp_operation(WarpOperation::reduce_min, least);
    run_warp_operation(WarpOperation::reduce_min_signed, least_signed);
    CHECK(least[1].result == 11);
    CHECK(least_signed[1].result == 0xffffffff);
}
