#include "plugin/verify/warp.h"

#include <algorithm>

namespace slimgrad::verify {
namespace {

using Lanes = std::array<WarpLane, warp_size>;

/// The lane that `lane` reads in a shuffle.
std::uint32_t source(WarpOperation operation, std::uint32_t lane, std::uint64_t argument) {
    const auto width = static_cast<std::uint32_t>(argument >> 32);
    const auto given = static_cast<std::uint32_t>(argument) & (warp_size - 1);
    const std::uint32_t first = lane & ~(width - 1), last = first + width - 1;
    switch (operation) {
    case WarpOperation::shuffle:
        return first + (given & (width - 1));
    case WarpOperation::shuffle_up:
        return lane >= first + given ? lane - given : lane;
    case WarpOperation::shuffle_down:
        return lane + given <= last ? lane + given : lane;
    default:
        return (lane ^ given) <= last ? lane ^ given : lane;
    }
}

std::uint32_t reduced(WarpOperation operation, std::uint32_t a, std::uint32_t b) {
    switch (operation) {
    case WarpOperation::reduce_add:
        return a + b;
    case WarpOperation::reduce_and:
        return a & b;
    case WarpOperation::reduce_or:
        return a | b;
    case WarpOperation::reduce_xor:
        return a ^ b;
    case WarpOperation::reduce_min:
        return std::min(a, b);
    case WarpOperation::reduce_max:
        return std::max(a, b);
    case WarpOperation::reduce_min_signed:
        return static_cast<std::int32_t>(b) < static_cast<std::int32_t>(a) ? b : a;
    default:
        return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? b : a;
    }
}

/// A bit for each lane that takes part and holds the value.
std::uint32_t holders(const Lanes& lanes, std::uint64_t value) {
    std::uint32_t bits = 0;
    for (std::uint32_t i = 0; i < warp_size; ++i)
        if (lanes[i].takes_part && lanes[i].value == value)
            bits |= 1u << i;
    return bits;
}

void reduce(WarpOperation operation, Lanes& lanes) {
    bool first = true;
    std::uint32_t result = 0;
    for (const WarpLane& lane : lanes)
        if (lane.takes_part) {
            const auto value = static_cast<std::uint32_t>(lane.value);
            result = first ? value : reduced(operation, result, value);
            first = false;
        }
    for (WarpLane& lane : lanes)
        lane.result = result;
}

} // namespace

void run_warp_operation(WarpOperation operation, Lanes& lanes) {
    const auto active = static_cast<std::uint32_t>(std::count_if(
        lanes.begin(), lanes.end(), [](const WarpLane& lane) { return lane.takes_part; }));
    switch (operation) {
    case WarpOperation::shuffle:
    case WarpOperation::shuffle_up:
    case WarpOperation::shuffle_down:
    case WarpOperation::shuffle_xor:
        for (std::uint32_t i = 0; i < warp_size; ++i)
            if (lanes[i].takes_part) {
                const WarpLane& from = lanes[source(operation, i, lanes[i].argument)];
                lanes[i].result = from.takes_part ? from.value : ~0ull;
            }
        return;
    case WarpOperation::ballot:
        for (WarpLane& lane : lanes)
            lane.result = holders(lanes, 1);
        return;
    case WarpOperation::match_any:
        for (WarpLane& lane : lanes)
            lane.result = holders(lanes, lane.value);
        return;
    case WarpOperation::match_all:
        for (WarpLane& lane : lanes) {
            const std::uint32_t same = holders(lanes, lane.value);
            lane.result = static_cast<std::uint32_t>(__builtin_popcount(same)) == active ? same : 0;
        }
        return;
    default:
        return reduce(operation, lanes);
    }
}

} // namespace slimgrad::verify
