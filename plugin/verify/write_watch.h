#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace slimgrad::verify {

/// A thread of a launch, between two places where it waits for others.
struct ThreadMoment {
    std::uint32_t block = 0, thread = 0, warp = 0; ///< thread and warp: within the block
    std::uint32_t barriers = 0;                    ///< that its block has passed
    std::uint32_t warp_rounds = 0;                 ///< warp operations that its warp has done
};

/// Two threads that write one place, not both with atomic functions, in an order that nothing sets:
/// on a device one of the two can be lost, and with it what a thread added.
struct WriteConflict {
    std::size_t region = 0;
    std::uint64_t offset = 0; ///< of the place's first byte
    std::array<ThreadMoment, 2> threads;
};

/// Watches what the threads of a launch change in memory while they run one after another. Does not
/// see who reads, nor writes that leave a place as it is: several threads that write the same value
/// are no conflict. Order comes from barriers, from warp operations (taken for order among all
/// lanes of the warp), and from atomic functions on one integer, which may be a lock or a counter.
class WriteWatch {
  public:
    struct Region {
        const unsigned char* bytes = nullptr;
        std::size_t size = 0;
        /// By byte of an element: the first byte of the place it is part of, which is written as
        /// one. What padding holds means nothing.
        std::vector<std::uint32_t> places;
    };
    static constexpr std::uint32_t padding = 0xffffffff;
    explicit WriteWatch(std::vector<Region> regions);

    /// A launch: what is in memory was written by nobody. Forgets the conflicts of the last one.
    void start();
    /// The region that begins at `bytes` belongs to a new block: what is in it was written by
    /// nobody.
    void renew(const unsigned char* bytes);
    /// What changed since the last call, this thread wrote.
    void ran(const ThreadMoment& moment);
    /// An atomic function that this thread has just done. `old`: what was there before. `orders`:
    /// it may be what other threads wait for.
    void atomic(const ThreadMoment& moment, const void* address, std::size_t bytes, const void* old,
                bool orders);

    /// The first of each region.
    const std::vector<WriteConflict>& conflicts() const { return conflicts_; }
    /// False: it became too much, and not all that the threads wrote was seen.
    bool complete() const { return complete_; }

  private:
    struct Write {
        ThreadMoment moment;
        std::uint64_t time = 0;
        bool known = false;
    };
    struct Writes { ///< the last ones of a place
        Write plain, atomic;
        std::uint32_t owner = 0; ///< of the region: how often it was renewed
    };
    struct Signal { ///< an atomic function on an integer
        std::uint64_t time = 0;
        ThreadMoment moment;
    };

    void note(std::size_t region, std::size_t offset, const ThreadMoment& moment, bool atomic);
    bool ordered(const Write& earlier, const ThreadMoment& later) const;

    std::vector<Region> regions_;
    std::vector<std::vector<unsigned char>> seen_;
    std::vector<std::uint32_t> renewed_; ///< by region
    std::unordered_map<std::uint64_t, Writes> writes_;
    std::unordered_map<const void*, std::vector<Signal>> signals_;
    std::vector<WriteConflict> conflicts_;
    std::uint64_t time_ = 0, compared_ = 0;
    bool complete_ = true;
};

} // namespace slimgrad::verify
