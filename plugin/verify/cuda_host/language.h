// What CUDA C++ has and C++ has not, for the text that `slangc -target cuda` emits: keywords, vector types, and the
// place of the running thread. Goes before that text; g++ compiles both for the host. The machine itself (threads,
// warps, textures, PTX) is in slimgrad-run, behind the functions of `slimgrad_machine`.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <math.h>

#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
// One copy: blocks run one after another. The runner finds all of them by the section's ends.
#define __shared__ static __attribute__((section("slimgrad_shared")))

#define SLIMGRAD_VECTORS(T, name, align2, align4)                                                  \
    struct name##1 { T x; };                                                                       \
    struct __align__(align2) name##2 { T x, y; };                                                  \
    struct name##3 { T x, y, z; };                                                                 \
    struct __align__(align4) name##4 { T x, y, z, w; };                                            \
    static inline name##1 make_##name##1(T x) { return {x}; }                                      \
    static inline name##2 make_##name##2(T x, T y) { return {x, y}; }                              \
    static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                      \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
SLIMGRAD_VECTORS(signed char, char, 2, 4)
SLIMGRAD_VECTORS(unsigned char, uchar, 2, 4)
SLIMGRAD_VECTORS(short, short, 4, 8)
SLIMGRAD_VECTORS(unsigned short, ushort, 4, 8)
SLIMGRAD_VECTORS(int, int, 8, 16)
SLIMGRAD_VECTORS(unsigned int, uint, 8, 16)
SLIMGRAD_VECTORS(long, long, 16, 16)
SLIMGRAD_VECTORS(unsigned long, ulong, 16, 16)
SLIMGRAD_VECTORS(long long, longlong, 16, 16)
SLIMGRAD_VECTORS(unsigned long long, ulonglong, 16, 16)
SLIMGRAD_VECTORS(float, float, 8, 16)
SLIMGRAD_VECTORS(double, double, 16, 16)

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1) : x(a), y(b), z(c) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    operator uint3() const { return {x, y, z}; }
};

/// Set by the runner whenever another thread goes on.
struct SlimgradThread {
    uint3 thread, block;
    dim3 threads, blocks;
};

/// An operand of a PTX instruction: a variable of 1 to 8 bytes, or what is behind an address.
struct SlimgradOperand {
    void* data;
    uint32_t bytes;
    uint32_t floating;
};

/// Filled in by the runner after loading.
struct SlimgradMachine {
    void (*barrier)(const void* site);
    uint32_t (*active)(const void* site);
    /// A warp operation of the lanes in `mask`: everything that it needs of this lane, and its result.
    uint64_t (*warp)(uint32_t operation, uint32_t mask, uint64_t value, uint64_t argument);
    /// Reads a texture: four components as 32-bit floats or integers. Coordinates in the texture's order.
    void (*sample)(uint64_t texture, uint32_t form, const float* coordinates, float level, void* texel);
    void (*fetch)(uint64_t texture, uint32_t form, const int* coordinates, int level, void* texel);
    /// The address of a surface's texel, `x` in bytes; null: outside.
    void* (*surface)(uint64_t surface, uint32_t form, const int* coordinates, uint64_t bytes);
    void (*ptx)(const char* code, const SlimgradOperand* operands, uint32_t count);
    /// Told after an atomic function: what was there before, and whether other threads may wait for it.
    void (*atomic)(const void* address, uint32_t bytes, const void* old, uint32_t orders);
};

extern "C" {
__attribute__((visibility("default"))) SlimgradThread slimgrad_thread;
__attribute__((visibility("default"))) SlimgradMachine slimgrad_machine;
}

#define threadIdx (slimgrad_thread.thread)
#define blockIdx (slimgrad_thread.block)
#define blockDim (slimgrad_thread.threads)
#define gridDim (slimgrad_thread.blocks)
#define warpSize 32

// What kernels print is not looked at.
#define printf(...) (0)
