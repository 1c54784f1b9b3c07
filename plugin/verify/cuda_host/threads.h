// Barriers and warp operations. Threads are fibres of one thread of the host: memory needs no fences.

enum { // plugin/verify/warp.h
    slimgrad_shuffle,
    slimgrad_shuffle_up,
    slimgrad_shuffle_down,
    slimgrad_shuffle_xor,
    slimgrad_ballot,
    slimgrad_match_any,
    slimgrad_match_all,
    slimgrad_reduce_add,
    slimgrad_reduce_and,
    slimgrad_reduce_or,
    slimgrad_reduce_xor,
    slimgrad_reduce_min,
    slimgrad_reduce_max,
    slimgrad_reduce_min_signed,
    slimgrad_reduce_max_signed,
};

// Not inlined: the return address tells one barrier of the text from another.
__attribute__((noinline)) static void slimgrad_barrier() { slimgrad_machine.barrier(__builtin_return_address(0)); }
__attribute__((noinline)) static uint32_t slimgrad_active() {
    return slimgrad_machine.active(__builtin_return_address(0));
}
#define __syncthreads() slimgrad_barrier()
#define __activemask() slimgrad_active()
static inline void __threadfence() {}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}

template <class T> static inline uint64_t slimgrad_word(T value) {
    static_assert(sizeof(T) <= 8, "warp operations take scalars");
    uint64_t word = 0;
    memcpy(&word, &value, sizeof value);
    return word;
}
template <class T> static inline T slimgrad_from_word(uint64_t word) {
    T value;
    memcpy(static_cast<void*>(&value), &word, sizeof value);
    return value;
}
template <class T>
static inline T slimgrad_shuffled(uint32_t operation, uint32_t mask, T value, int argument, int width) {
    return slimgrad_from_word<T>(slimgrad_machine.warp(
        operation, mask, slimgrad_word(value), static_cast<uint32_t>(argument) | static_cast<uint64_t>(width) << 32));
}
template <class T> static inline T __shfl_sync(unsigned int mask, T value, int lane, int width = 32) {
    return slimgrad_shuffled(slimgrad_shuffle, mask, value, lane, width);
}
template <class T> static inline T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32) {
    return slimgrad_shuffled(slimgrad_shuffle_up, mask, value, static_cast<int>(delta), width);
}
template <class T> static inline T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32) {
    return slimgrad_shuffled(slimgrad_shuffle_down, mask, value, static_cast<int>(delta), width);
}
template <class T> static inline T __shfl_xor_sync(unsigned int mask, T value, int lanes, int width = 32) {
    return slimgrad_shuffled(slimgrad_shuffle_xor, mask, value, lanes, width);
}

static inline uint32_t slimgrad_warp(uint32_t operation, uint32_t mask, uint64_t value) {
    return static_cast<uint32_t>(slimgrad_machine.warp(operation, mask, value, 0));
}
static inline unsigned int __ballot_sync(unsigned int mask, int holds) {
    return slimgrad_warp(slimgrad_ballot, mask, holds != 0);
}
// The upper half of a vote's result is the lanes that voted.
static inline int __any_sync(unsigned int mask, int holds) {
    return slimgrad_warp(slimgrad_ballot, mask, holds != 0) != 0;
}
static inline int __all_sync(unsigned int mask, int holds) {
    return slimgrad_warp(slimgrad_ballot, mask, holds == 0) == 0;
}
static inline void __syncwarp(unsigned int mask = 0xffffffffu) { slimgrad_warp(slimgrad_ballot, mask, 0); }
template <class T> static inline unsigned int __match_any_sync(unsigned int mask, T value) {
    return slimgrad_warp(slimgrad_match_any, mask, slimgrad_word(value));
}
template <class T> static inline unsigned int __match_all_sync(unsigned int mask, T value, int* all) {
    const unsigned int lanes = slimgrad_warp(slimgrad_match_all, mask, slimgrad_word(value));
    *all = lanes != 0;
    return lanes;
}
#define SLIMGRAD_REDUCE(name)                                                                      \
    static inline unsigned int __reduce_##name##_sync(unsigned int mask, unsigned int value) {     \
        return slimgrad_warp(slimgrad_reduce_##name, mask, value);                                 \
    }
SLIMGRAD_REDUCE(add)
SLIMGRAD_REDUCE(and)
SLIMGRAD_REDUCE(or)
SLIMGRAD_REDUCE(xor)
SLIMGRAD_REDUCE(min)
SLIMGRAD_REDUCE(max)
#define SLIMGRAD_REDUCE_SIGNED(name, operation)                                                    \
    static inline int __reduce_##name##_sync(unsigned int mask, int value) {                       \
        return static_cast<int>(slimgrad_warp(operation, mask, static_cast<uint32_t>(value)));     \
    }
SLIMGRAD_REDUCE_SIGNED(add, slimgrad_reduce_add)
SLIMGRAD_REDUCE_SIGNED(min, slimgrad_reduce_min_signed)
SLIMGRAD_REDUCE_SIGNED(max, slimgrad_reduce_max_signed)
