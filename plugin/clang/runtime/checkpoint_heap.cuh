// Checkpoints in global memory: what a loop stores for the backward pass lies in a slice of a heap, one per thread,
// instead of on the thread's stack. Written into generated CUDA by `slimgrad cuda --passes heap`; the host's side,
// which has to be called before every launch, is slimgrad_checkpoint_heap.h.
//
// A thread's slice is made of 4-byte words. Where word w of the slice of thread t lies is chosen by
// SLIMGRAD_CHECKPOINT_LAYOUT, with a stride of S bytes per thread:
//   0 thread: base + t * S + 4 * w                                 a slice is contiguous
//   1 warp:   base + t / 32 * S * 32 + 4 * w * 32 + t % 32 * 4     a warp's accesses are, as those of local memory
//   2 grid:   base + 4 * w * threads + t * 4                       those of neighbouring warps are, too
#ifndef SLIMGRAD_CHECKPOINT_LAYOUT
#define SLIMGRAD_CHECKPOINT_LAYOUT 1
#endif

// 1: a thread's slice shrinks to the trips that the host knows of a launch. Arrays then have no constant places in it,
// which takes registers where there are several: 166 in place of 80 in a multilayer perceptron.
#ifndef SLIMGRAD_CHECKPOINT_TRIPS
#define SLIMGRAD_CHECKPOINT_TRIPS 0
#endif

/// Published by the host before every launch.
struct SlimgradCheckpointHeap {
    unsigned char* base;
    unsigned long long bytes;
    unsigned long long threads; ///< of the launch, a multiple of 32
    unsigned long long trips;   ///< no loop of the kernel makes more; ~0: not known
    unsigned int* overflow;     ///< the kernel's: the most slots that an array needed where it had fewer
};

/// An array of the kernel: `bytes`, a multiple of 4, times every slots[i] that is not 0, each of which counts as
/// trips + 2 at most.
struct SlimgradCheckpointTerm {
    unsigned long long bytes;
    unsigned int slots[4];
};
#if SLIMGRAD_CHECKPOINT_TRIPS
#define SLIMGRAD_CHECKPOINT_TERM(bytes, a, b, c, d) {bytes, {a, b, c, d}}
#else
#define SLIMGRAD_CHECKPOINT_TERM(bytes, a, b, c, d) \
    {(bytes) * ((a) ? (a) : 1ull) * ((b) ? (b) : 1ull) * ((c) ? (c) : 1ull) * ((d) ? (d) : 1ull), {0, 0, 0, 0}}
#endif

/// What a kernel needs of the heap: the stride of a thread is the sum of its terms, rounded up to 8 bytes.
template <unsigned int terms_of_kernel> struct SlimgradCheckpointKernel {
    unsigned int version; ///< slimgrad_checkpoint_version
    unsigned int layout;
    unsigned int terms;
    unsigned int index; ///< of the kernel among those of the module that use the heap
    SlimgradCheckpointTerm term[terms_of_kernel];
};
enum { slimgrad_checkpoint_version = 1 };

extern "C" {
__constant__ SlimgradCheckpointHeap slimgrad_checkpoint_heap;
}

/// How many of an array's `declared` slots the heap has: all, or with SLIMGRAD_CHECKPOINT_TRIPS those that a loop uses
/// which makes as many trips as the host knows, n + 2 of n.
__device__ __forceinline__ unsigned int slimgrad_checkpoint_slots(unsigned int declared) {
#if SLIMGRAD_CHECKPOINT_TRIPS
    const unsigned long long trips = slimgrad_checkpoint_heap.trips;
    return trips < declared && trips + 2 < declared ? static_cast<unsigned int>(trips) + 2 : declared;
#else
    return declared;
#endif
}

/// The slot that an index stands for: the last one for an index past it.
template <class Index>
__device__ __forceinline__ unsigned int slimgrad_checkpoint_slot(Index given, unsigned int declared) {
    const unsigned int last = slimgrad_checkpoint_slots(declared) - 1;
    const bool far = sizeof(Index) > 4 && static_cast<unsigned long long>(given) > 0xffffffffu;
    const unsigned int index = far ? last : static_cast<unsigned int>(given);
    return index < last ? index : last;
}

/// The same for what is stored: an index past the last slot is told to the host. One that is only loaded is not:
/// slangc's backward loops may load from before the first slot in the trip that ends them, and not use it.
template <class Index>
__device__ __forceinline__ unsigned int slimgrad_checkpoint_index(Index given, unsigned int declared) {
    const unsigned int most = 0xffffffffu;
    const unsigned int index = sizeof(Index) > 4 && static_cast<unsigned long long>(given) > most
                                   ? most
                                   : static_cast<unsigned int>(given);
    const unsigned int last = slimgrad_checkpoint_slots(declared) - 1;
    if (index > last)
        atomicMax(slimgrad_checkpoint_heap.overflow, index == most ? most : index + 1);
    return index < last ? index : last; // not within the branch: a minimum takes fewer registers
}

/// How far a word of a slice is from the next one, in words.
__device__ __forceinline__ unsigned long long slimgrad_checkpoint_lanes() {
#if SLIMGRAD_CHECKPOINT_LAYOUT == 0
    return 1;
#elif SLIMGRAD_CHECKPOINT_LAYOUT == 1
    return 32;
#else
    return slimgrad_checkpoint_heap.threads;
#endif
}

/// A place in the slice of a thread. Offsets are bytes of the slice, multiples of 4.
struct SlimgradCheckpointSlice {
    unsigned char* at;

    __device__ __forceinline__ SlimgradCheckpointSlice operator+(unsigned long long offset) const {
        return SlimgradCheckpointSlice{at + offset * slimgrad_checkpoint_lanes()};
    }
};

/// The slice of the running thread. `stride`: the sum of the kernel's terms. Traps where the heap that was published
/// last is too small for this launch: the host did not prepare it.
__device__ __forceinline__ SlimgradCheckpointSlice slimgrad_checkpoint_slice(unsigned long long stride) {
    stride = (stride + 7) / 8 * 8;
    const unsigned long long block =
        (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned long long thread = block * (blockDim.x * blockDim.y * blockDim.z) +
                                      ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
    const SlimgradCheckpointHeap& heap = slimgrad_checkpoint_heap;
    if (thread >= heap.threads || heap.threads * stride > heap.bytes)
        __trap();
#if SLIMGRAD_CHECKPOINT_LAYOUT == 0
    return SlimgradCheckpointSlice{heap.base + thread * stride};
#elif SLIMGRAD_CHECKPOINT_LAYOUT == 1
    return SlimgradCheckpointSlice{heap.base + thread / 32 * (stride * 32) + thread % 32 * 4};
#else
    return SlimgradCheckpointSlice{heap.base + thread * 4};
#endif
}

/// An array T[N][M]... of any depth; without extents, one T. Elements are whole words: sizeof(T) rounded up to 4.
///
///     const SlimgradCheckpointArray<float2, 34> stored{slice + 16};
///     stored.store(i, value);  ...  stored.load(i)
///
/// An index past the last slot stands for the last slot: what is loaded then is not what was stored, but nothing outside
/// the array is touched. Where something is stored, it is told to the host.
template <class T, unsigned int... extents> struct SlimgradCheckpointArray;

template <class T> struct SlimgradCheckpointArray<T> {
    SlimgradCheckpointSlice slice;

    __device__ __forceinline__ static unsigned long long bytes() { return (sizeof(T) + 3) / 4 * 4; }

    __device__ __forceinline__ T load() const {
        T value;
#pragma unroll
        for (unsigned int at = 0; at < sizeof(T); at += 4) {
            const unsigned int word = *reinterpret_cast<const unsigned int*>((slice + at).at);
            memcpy(reinterpret_cast<unsigned char*>(&value) + at, &word, sizeof(T) - at < 4 ? sizeof(T) - at : 4);
        }
        return value;
    }

    __device__ __forceinline__ void store(const T& value) const {
#pragma unroll
        for (unsigned int at = 0; at < sizeof(T); at += 4) {
            unsigned int word = 0;
            memcpy(&word, reinterpret_cast<const unsigned char*>(&value) + at, sizeof(T) - at < 4 ? sizeof(T) - at : 4);
            *reinterpret_cast<unsigned int*>((slice + at).at) = word;
        }
    }
};

template <class T, unsigned int extent, unsigned int... inner> struct SlimgradCheckpointArray<T, extent, inner...> {
    typedef SlimgradCheckpointArray<T, inner...> Element;
    SlimgradCheckpointSlice slice;

    __device__ __forceinline__ static unsigned long long bytes() {
        return slimgrad_checkpoint_slots(extent) * Element::bytes();
    }

    template <class Index, class... Indices>
    __device__ __forceinline__ T load(Index index, Indices... others) const {
        return Element{slice + slimgrad_checkpoint_slot(index, extent) * Element::bytes()}.load(others...);
    }

    /// The value comes last, after the other indices.
    template <class Index, class... Others>
    __device__ __forceinline__ void store(Index index, const Others&... others) const {
        Element{slice + slimgrad_checkpoint_index(index, extent) * Element::bytes()}.store(others...);
    }
};

/// An element that was loaded, for `->`.
template <class T> struct SlimgradCheckpointLoaded {
    T value;

    __device__ __forceinline__ const T* operator->() const { return &value; }
};

/// An array, or zeros in its place: what `{}` makes. slangc copies records of zeros where a loop stores nothing.
template <class T, unsigned int... extents> struct SlimgradCheckpointArrayOrZeros {
    SlimgradCheckpointSlice slice;

    template <class... Indices> __device__ __forceinline__ T load(Indices... indices) const {
        if (!slice.at) {
            T zeros = {};
            return zeros;
        }
        return SlimgradCheckpointArray<T, extents...>{slice}.load(indices...);
    }

    template <class... Others> __device__ __forceinline__ void store(const Others&... others) const {
        SlimgradCheckpointArray<T, extents...>{slice}.store(others...);
    }
};
