// The vector types char1 ... double4 with CUDA's alignments, and make_T.
#pragma once

/// T1 ... T4 of `type`; two and four of them are aligned to `align2` and `align4` bytes.
#define SLIMGRAD_VECTOR_TYPES(name, type, align2, align4)                                          \
    struct name##1 {                                                                               \
        type x;                                                                                    \
    };                                                                                             \
    struct __align__(align2) name##2 {                                                             \
        type x, y;                                                                                 \
    };                                                                                             \
    struct name##3 {                                                                               \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct __align__(align4) name##4 {                                                             \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    __host__ __device__ name##1 make_##name##1(type);                                              \
    __host__ __device__ name##2 make_##name##2(type, type);                                        \
    __host__ __device__ name##3 make_##name##3(type, type, type);                                  \
    __host__ __device__ name##4 make_##name##4(type, type, type, type);

/// Four of `type` with the alignment in the name, which CUDA 13 has for types of eight bytes.
#define SLIMGRAD_ALIGNED_VECTOR_TYPE(name, type, align)                                            \
    struct __align__(align) name {                                                                 \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    __host__ __device__ name make_##name(type, type, type, type);

SLIMGRAD_VECTOR_TYPES(char, signed char, 2, 4)
SLIMGRAD_VECTOR_TYPES(uchar, unsigned char, 2, 4)
SLIMGRAD_VECTOR_TYPES(short, short, 4, 8)
SLIMGRAD_VECTOR_TYPES(ushort, unsigned short, 4, 8)
SLIMGRAD_VECTOR_TYPES(int, int, 8, 16)
SLIMGRAD_VECTOR_TYPES(uint, unsigned int, 8, 16)
SLIMGRAD_VECTOR_TYPES(long, long, 16, 16)
SLIMGRAD_VECTOR_TYPES(ulong, unsigned long, 16, 16)
SLIMGRAD_VECTOR_TYPES(longlong, long long, 16, 16)
SLIMGRAD_VECTOR_TYPES(ulonglong, unsigned long long, 16, 16)
SLIMGRAD_VECTOR_TYPES(float, float, 8, 16)
SLIMGRAD_VECTOR_TYPES(double, double, 16, 16)

SLIMGRAD_ALIGNED_VECTOR_TYPE(long4_16a, long, 16)
SLIMGRAD_ALIGNED_VECTOR_TYPE(long4_32a, long, 32)
SLIMGRAD_ALIGNED_VECTOR_TYPE(ulong4_16a, unsigned long, 16)
SLIMGRAD_ALIGNED_VECTOR_TYPE(ulong4_32a, unsigned long, 32)
SLIMGRAD_ALIGNED_VECTOR_TYPE(longlong4_16a, long long, 16)
SLIMGRAD_ALIGNED_VECTOR_TYPE(longlong4_32a, long long, 32)
SLIMGRAD_ALIGNED_VECTOR_TYPE(ulonglong4_16a, unsigned long long, 16)
SLIMGRAD_ALIGNED_VECTOR_TYPE(ulonglong4_32a, unsigned long long, 32)
SLIMGRAD_ALIGNED_VECTOR_TYPE(double4_16a, double, 16)
SLIMGRAD_ALIGNED_VECTOR_TYPE(double4_32a, double, 32)

struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
        : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};

#undef SLIMGRAD_VECTOR_TYPES
#undef SLIMGRAD_ALIGNED_VECTOR_TYPE
