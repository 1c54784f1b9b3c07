#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace slimgrad::verify {

/// SlimgradCheckpointHeap of checkpoint_heap.cuh, with a host's or a device's addresses.
struct CheckpointDescriptor {
    std::uint64_t base = 0, bytes = 0;
    std::uint64_t threads = 0; ///< of a launch, a multiple of 32
    std::uint64_t trips = 0;
    std::uint64_t overflow = 0;
};

enum class CheckpointLayout : std::uint32_t { by_thread, by_warp, by_grid };

/// What a kernel needs of the heap, by its variable slimgrad_checkpoint_of_KERNEL.
struct CheckpointNeeds {
    CheckpointLayout layout = CheckpointLayout::by_thread;
    std::uint64_t threads = 0, stride = 0; ///< stride: bytes of a thread
    std::string problem;                   ///< why it cannot be given; "": it can

    std::uint64_t bytes() const { return stride * threads; }
};

/// `data`: the variable's bytes, as many as `size`. `threads`: of a launch. `trips`: that no loop
/// makes more than; ~0: not known.
CheckpointNeeds checkpoint_needs(const void* data, std::size_t size, std::uint64_t threads,
                                 std::uint64_t trips);

/// What the heap holds before a launch: a NaN as float, double or two halves, and as an integer
/// outside of every array.
constexpr std::uint32_t no_checkpoint = 0xfffdfffd;

/// What a kernel would have needed that said so; "" if it said nothing.
std::string describe_overflow(std::uint32_t slots);

} // namespace slimgrad::verify
