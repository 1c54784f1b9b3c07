#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace slimgrad {

/// Bytes of a part of a thread's slice of the heap: a sum of bytes times numbers of slots, which
/// are known when the kernel runs (checkpoint_heap.cuh: slimgrad_checkpoint_slots).
class HeapSize {
  public:
    using Slots = std::vector<std::uint64_t>; ///< as declared, at most four

    HeapSize() = default;
    HeapSize(std::uint64_t bytes, Slots slots);

    bool zero() const { return terms_.empty(); }
    HeapSize& operator+=(const HeapSize& other);
    /// As many of them as an array of `slots` has.
    HeapSize times(std::uint64_t slots) const;
    /// Enough for either of them, whatever the numbers of slots are.
    static HeapSize either(const HeapSize& a, const HeapSize& b);
    /// With all slots that are declared.
    std::uint64_t most() const;
    /// True where an array lies within more than four loops: the host's table has no room for it.
    bool too_deep() const;

    /// As a C++ expression of device code: "16ull * slimgrad_checkpoint_slots(34) + 8ull".
    std::string expression() const;

    const std::map<Slots, std::uint64_t>& terms() const { return terms_; }

  private:
    std::map<Slots, std::uint64_t> terms_; ///< bytes by slots
};

} // namespace slimgrad
