// __half and __half2.
#pragma once

#include "half_arithmetic.h"

struct __nv_bfloat16;

struct __align__(2) __half_raw {
    unsigned short x;
};
struct __align__(4) __half2_raw {
    unsigned short x, y;
};

#pragma clang force_cuda_host_device begin
struct __align__(2) __half {
    SLIMGRAD_HALF_MEMBERS(__half, __nv_bfloat16)
};
struct __align__(4) __half2 {
    SLIMGRAD_PAIR_MEMBERS(__half2, __half)
};

SLIMGRAD_HALF_ARITHMETIC(__half, __half2)
SLIMGRAD_HALF_CONVERSIONS(__half, __half2, half)
#ifndef __CUDA_NO_HALF_OPERATORS__
SLIMGRAD_HALF_OPERATORS(__half)
#endif
#ifndef __CUDA_NO_HALF2_OPERATORS__
SLIMGRAD_HALF_OPERATORS(__half2)
#endif
#pragma clang force_cuda_host_device end

SLIMGRAD_CACHED_ACCESS(__half)
SLIMGRAD_CACHED_ACCESS(__half2)
SLIMGRAD_SHUFFLE(__half)
SLIMGRAD_SHUFFLE(__half2)
__device__ __half atomicAdd(__half*, __half);
__device__ __half2 atomicAdd(__half2*, __half2);

#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __half nv_half;
typedef __half2 nv_half2;
#endif
