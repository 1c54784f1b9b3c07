#pragma once

#include "plugin/verify/checkpoint_needs.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// The heap that a kernel keeps its checkpoints in, where its text has one
/// (plugin/clang/runtime/checkpoint_heap.cuh), as slimgrad-run provides it: exactly as many bytes
/// as the launch needs, and of those a thread sees only its own slice. Everything else reads as a
/// pattern that is a NaN, or an integer far out of every array; what a thread writes outside of its
/// slice is found when it stops. Used inside slimgrad-run only.
class CheckpointHeap {
  public:
    /// `library`: from dlopen. `threads`: of a launch. `trips`: that no loop makes more than; ~0:
    /// not known.
    CheckpointHeap(void* library, const std::string& kernel, std::uint64_t threads,
                   std::uint64_t trips);
    ~CheckpointHeap();
    CheckpointHeap(const CheckpointHeap&) = delete;
    CheckpointHeap& operator=(const CheckpointHeap&) = delete;

    /// Whether the kernel has one.
    bool used() const { return heap_ != nullptr; }
    /// Why it cannot be provided, for one line; "": it can.
    const std::string& problem() const { return needs_.problem; }

    /// Before a launch: nothing is stored yet.
    void publish();
    /// A thread goes on; one at a time. Its number is that of the launch.
    void enter(std::uint64_t thread);
    /// It stops. What it did wrong, for one line; "": it wrote into its slice alone.
    std::string leave(std::uint64_t thread);
    /// After a launch: what the kernel would have needed; "": nothing.
    std::string overflow() const;

  private:
    /// The place of a word of a thread's slice, in words of the heap.
    std::uint64_t place(std::uint64_t thread, std::uint64_t word) const;
    /// The first word outside of the slices that was written; its words' number: none was.
    std::uint64_t first_written() const;

    void* descriptor_ = nullptr; ///< in the library
    CheckpointNeeds needs_;
    std::uint64_t trips_ = 0;
    std::uint32_t* memory_ = nullptr; ///< margins around the heap
    std::uint32_t* heap_ = nullptr;
    std::uint32_t overflow_ = 0;
    std::vector<std::vector<std::uint32_t>> slices_; ///< of threads that have begun
};

} // namespace slimgrad::verify
