#include "plugin/verify/checkpoint_heap.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <utility>

// Of AddressSanitizer's runtime, if the program has it.
extern "C" __attribute__((weak)) void __asan_poison_memory_region(const volatile void* begin,
                                                                  std::size_t bytes);

namespace slimgrad::verify {
namespace {

// As checkpoint_heap.cuh has them.
struct Descriptor {
    unsigned char* base;
    unsigned long long bytes, threads, trips;
    unsigned int* overflow;
};
struct Term {
    unsigned long long bytes;
    unsigned int slots[4];
};
struct KernelHead {
    unsigned int version, layout, terms, index;
};
constexpr unsigned int known_version = 1;
enum Layout { by_thread, by_warp, by_grid };
constexpr std::uint64_t warp_size = 32;

/// A NaN as float, double or two halves, and as an integer outside of every array.
constexpr std::uint32_t nothing = 0xfffdfffd;
/// Words before and after the heap: a stride too far still lies there.
constexpr std::uint64_t margin = 16'384;
constexpr std::uint64_t most_bytes = 2ull << 30;

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

} // namespace

CheckpointHeap::CheckpointHeap(void* library, const std::string& kernel, std::uint64_t threads,
                               std::uint64_t trips)
    : threads_(round_up(threads, warp_size)), trips_(trips) {
    const auto find = [&](const std::string& name) { return dlsym(library, name.c_str()); };
    const auto* needs = static_cast<unsigned char*>(find("slimgrad_checkpoint_of_" + kernel));
    if (!needs)
        return;
    descriptor_ = find("slimgrad_checkpoint_heap");
    KernelHead head;
    std::memcpy(&head, needs, sizeof head);
    if (!descriptor_)
        problem_ = "there is no slimgrad_checkpoint_heap beside its slimgrad_checkpoint_of";
    else if (head.version != known_version || head.layout > by_grid)
        problem_ = "the form of its slimgrad_checkpoint_of is not known";
    if (!problem_.empty())
        return;
    layout_ = head.layout;
    std::uint64_t stride = 0;
    for (unsigned int i = 0; i < head.terms; ++i) {
        Term term;
        std::memcpy(&term, needs + sizeof head + i * sizeof term, sizeof term);
        std::uint64_t bytes = term.bytes;
        for (const unsigned int slots : term.slots)
            if (slots != 0)
                bytes *= trips < slots ? std::min<std::uint64_t>(slots, trips + 2) : slots;
        stride += bytes;
    }
    stride_ = round_up(stride, 8);
    if (stride_ == 0 || stride_ > most_bytes / threads_) {
        problem_ = "its checkpoints would take " + std::to_string(stride_) + " bytes of each of " +
                   std::to_string(threads_) + " threads";
        return;
    }
    const std::uint64_t words = bytes() / sizeof nothing;
    memory_ = static_cast<std::uint32_t*>(
        std::aligned_alloc(256, round_up((words + 2 * margin) * sizeof nothing, 256)));
    if (!memory_) {
        problem_ = "there is no memory for its checkpoints";
        return;
    }
    heap_ = memory_ + margin;
    std::fill_n(memory_, words + 2 * margin, nothing);
    if (__asan_poison_memory_region)
        for (const std::uint32_t* begin : {memory_, heap_ + words})
            __asan_poison_memory_region(begin, margin * sizeof nothing);
}

CheckpointHeap::~CheckpointHeap() {
    std::free(memory_);
}

void CheckpointHeap::publish() {
    if (!heap_)
        return;
    slices_.assign(threads_, {});
    overflow_ = 0;
    const Descriptor descriptor{reinterpret_cast<unsigned char*>(heap_), bytes(), threads_, trips_,
                                &overflow_};
    std::memcpy(descriptor_, &descriptor, sizeof descriptor);
}

std::uint64_t CheckpointHeap::place(std::uint64_t thread, std::uint64_t word) const {
    switch (layout_) {
    case by_thread:
        return thread * (stride_ / 4) + word;
    case by_warp:
        return thread / warp_size * (stride_ / 4 * warp_size) + word * warp_size +
               thread % warp_size;
    default:
        return word * threads_ + thread;
    }
}

void CheckpointHeap::enter(std::uint64_t thread) {
    if (!heap_ || thread >= threads_)
        return;
    const std::vector<std::uint32_t>& slice = slices_[thread];
    for (std::uint64_t word = 0; word < slice.size(); ++word)
        heap_[place(thread, word)] = slice[word];
}

std::string CheckpointHeap::leave(std::uint64_t thread) {
    if (!heap_ || thread >= threads_)
        return "";
    std::vector<std::uint32_t>& slice = slices_[thread];
    slice.resize(stride_ / 4);
    for (std::uint64_t word = 0; word < slice.size(); ++word)
        slice[word] = std::exchange(heap_[place(thread, word)], nothing);
    const std::uint64_t words = bytes() / sizeof nothing + 2 * margin;
    const std::uint64_t written = first_written();
    if (written == words)
        return "";
    const auto at = (static_cast<std::int64_t>(written) - static_cast<std::int64_t>(margin)) * 4;
    return "wrote outside its slice of the checkpoint heap: thread " + std::to_string(thread) +
           " of " + std::to_string(threads_) + ", byte " + std::to_string(at) + " of " +
           std::to_string(bytes());
}

std::uint64_t CheckpointHeap::first_written() const {
    // The margins are closed to what AddressSanitizer watches, the runner is not among that.
    const std::uint64_t words = bytes() / sizeof nothing + 2 * margin;
    constexpr std::uint64_t piece = 4096; // looked at without a branch
    for (std::uint64_t begin = 0; begin < words; begin += piece) {
        const std::uint64_t end = std::min(begin + piece, words);
        std::uint32_t differs = 0;
        for (std::uint64_t i = begin; i < end; ++i)
            differs |= memory_[i] ^ nothing;
        if (differs != 0)
            return static_cast<std::uint64_t>(
                std::find_if(memory_ + begin, memory_ + end,
                             [](std::uint32_t word) { return word != nothing; }) -
                memory_);
    }
    return words;
}

std::string CheckpointHeap::overflow() const {
    if (overflow_ == 0)
        return "";
    return "needed " + std::to_string(overflow_) +
           " slots of an array in the checkpoint heap that has fewer";
}

} // namespace slimgrad::verify
