#include "plugin/verify/checkpoint_needs.h"

#include <algorithm>
#include <cstring>

namespace slimgrad::verify {
namespace {

// As checkpoint_heap.cuh has them.
struct Head {
    std::uint32_t version, layout, terms, index;
};
struct Term {
    std::uint64_t bytes;
    std::uint32_t slots[4];
};
constexpr std::uint32_t known_version = 1;
constexpr std::uint64_t warp_size = 32, most_bytes = 2ull << 30;

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

} // namespace

CheckpointNeeds checkpoint_needs(const void* data, std::size_t size, std::uint64_t threads,
                                 std::uint64_t trips) {
    CheckpointNeeds needs;
    needs.threads = round_up(threads, warp_size);
    Head head{};
    std::memcpy(&head, data, std::min(size, sizeof head));
    if (head.version != known_version ||
        head.layout > static_cast<std::uint32_t>(CheckpointLayout::by_grid) || size < sizeof head ||
        (size - sizeof head) / sizeof(Term) < head.terms) {
        needs.problem = "the form of its slimgrad_checkpoint_of is not known";
        return needs;
    }
    needs.layout = static_cast<CheckpointLayout>(head.layout);
    for (std::uint32_t i = 0; i < head.terms; ++i) {
        Term term;
        std::memcpy(&term, static_cast<const unsigned char*>(data) + sizeof head + i * sizeof term,
                    sizeof term);
        std::uint64_t bytes = term.bytes;
        for (const std::uint32_t slots : term.slots)
            if (slots != 0)
                bytes *= trips < slots ? std::min<std::uint64_t>(slots, trips + 2) : slots;
        needs.stride += bytes;
    }
    needs.stride = round_up(needs.stride, 8);
    if (needs.stride > most_bytes / std::max<std::uint64_t>(needs.threads, 1))
        needs.problem = "its checkpoints would take " + std::to_string(needs.stride) +
                        " bytes of each of " + std::to_string(needs.threads) + " threads";
    return needs;
}

std::string describe_overflow(std::uint32_t slots) {
    if (slots == 0)
        return "";
    return "needed " + std::to_string(slots) +
           " slots of an array in the checkpoint heap that has fewer";
}

} // namespace slimgrad::verify
