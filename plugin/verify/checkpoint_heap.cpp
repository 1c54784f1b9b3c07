#include "plugin/verify/checkpoint_heap.h"

#include "plugin/verify/warp.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <limits>
#include <utility>

// Of AddressSanitizer's runtime, if the program has it.
extern "C" __attribute__((weak)) void __asan_poison_memory_region(const volatile void* begin,
                                                                  std::size_t bytes);

namespace slimgrad::verify {
namespace {

/// Words before and after the heap: a stride too far still lies there.
constexpr std::uint64_t margin = 16'384;

/// Of a variable in a library; its terms follow the head, and the library has as many as it says.
constexpr std::size_t size_of_variable = std::numeric_limits<std::size_t>::max();

} // namespace

CheckpointHeap::CheckpointHeap(void* library, const std::string& kernel, std::uint64_t threads,
                               std::uint64_t trips)
    : trips_(trips) {
    const void* variable = dlsym(library, ("slimgrad_checkpoint_of_" + kernel).c_str());
    if (!variable)
        return;
    needs_ = checkpoint_needs(variable, size_of_variable, threads, trips);
    descriptor_ = dlsym(library, "slimgrad_checkpoint_heap");
    if (!descriptor_)
        needs_.problem = "there is no slimgrad_checkpoint_heap beside its slimgrad_checkpoint_of";
    if (!needs_.problem.empty())
        return;
    constexpr std::uint64_t alignment = 256;
    const std::uint64_t words = needs_.bytes() / sizeof no_checkpoint;
    const std::uint64_t bytes = (words + 2 * margin) * sizeof no_checkpoint;
    memory_ = static_cast<std::uint32_t*>(
        std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment));
    if (!memory_) {
        needs_.problem = "there is no memory for its checkpoints";
        return;
    }
    heap_ = memory_ + margin;
    std::fill_n(memory_, words + 2 * margin, no_checkpoint);
    if (__asan_poison_memory_region)
        for (const std::uint32_t* begin : {memory_, heap_ + words})
            __asan_poison_memory_region(begin, margin * sizeof no_checkpoint);
}

CheckpointHeap::~CheckpointHeap() {
    std::free(memory_);
}

void CheckpointHeap::publish() {
    if (!heap_)
        return;
    slices_.assign(needs_.threads, {});
    overflow_ = 0;
    const CheckpointDescriptor descriptor{reinterpret_cast<std::uintptr_t>(heap_), needs_.bytes(),
                                          needs_.threads, trips_,
                                          reinterpret_cast<std::uintptr_t>(&overflow_)};
    std::memcpy(descriptor_, &descriptor, sizeof descriptor);
}

std::uint64_t CheckpointHeap::place(std::uint64_t thread, std::uint64_t word) const {
    switch (needs_.layout) {
    case CheckpointLayout::by_thread:
        return thread * (needs_.stride / 4) + word;
    case CheckpointLayout::by_warp:
        return thread / warp_size * (needs_.stride / 4 * warp_size) + word * warp_size +
               thread % warp_size;
    default:
        return word * needs_.threads + thread;
    }
}

void CheckpointHeap::enter(std::uint64_t thread) {
    if (!heap_ || thread >= needs_.threads)
        return;
    const std::vector<std::uint32_t>& slice = slices_[thread];
    for (std::uint64_t word = 0; word < slice.size(); ++word)
        heap_[place(thread, word)] = slice[word];
}

std::string CheckpointHeap::leave(std::uint64_t thread) {
    if (!heap_ || thread >= needs_.threads)
        return "";
    std::vector<std::uint32_t>& slice = slices_[thread];
    slice.resize(needs_.stride / 4);
    for (std::uint64_t word = 0; word < slice.size(); ++word)
        slice[word] = std::exchange(heap_[place(thread, word)], no_checkpoint);
    const std::uint64_t words = needs_.bytes() / sizeof no_checkpoint + 2 * margin;
    const std::uint64_t written = first_written();
    if (written == words)
        return "";
    const auto at = (static_cast<std::int64_t>(written) - static_cast<std::int64_t>(margin)) * 4;
    return "wrote outside its slice of the checkpoint heap: thread " + std::to_string(thread) +
           " of " + std::to_string(needs_.threads) + ", byte " + std::to_string(at) + " of " +
           std::to_string(needs_.bytes());
}

std::uint64_t CheckpointHeap::first_written() const {
    // The margins are closed to what AddressSanitizer watches, the runner is not among that.
    const std::uint64_t words = needs_.bytes() / sizeof no_checkpoint + 2 * margin;
    constexpr std::uint64_t piece = 4096; // looked at without a branch
    for (std::uint64_t begin = 0; begin < words; begin += piece) {
        const std::uint64_t end = std::min(begin + piece, words);
        std::uint32_t differs = 0;
        for (std::uint64_t i = begin; i < end; ++i)
            differs |= memory_[i] ^ no_checkpoint;
        if (differs != 0)
            return static_cast<std::uint64_t>(
                std::find_if(memory_ + begin, memory_ + end,
                             [](std::uint32_t word) { return word != no_checkpoint; }) -
                memory_);
    }
    return words;
}

std::string CheckpointHeap::overflow() const {
    return describe_overflow(overflow_);
}

} // namespace slimgrad::verify
