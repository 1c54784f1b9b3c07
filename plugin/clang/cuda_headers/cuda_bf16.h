// __nv_bfloat16 and __nv_bfloat162.
#pragma once

#include "cuda_fp16.h"

struct __align__(2) __nv_bfloat16_raw {
    unsigned short x;
};
struct __align__(4) __nv_bfloat162_raw {
    unsigned short x, y;
};

#pragma clang force_cuda_host_device begin
struct __align__(2) __nv_bfloat16 {
    SLIMGRAD_HALF_MEMBERS(__nv_bfloat16, __half)
};
struct __align__(4) __nv_bfloat162 {
    SLIMGRAD_PAIR_MEMBERS(__nv_bfloat162, __nv_bfloat16)
};

SLIMGRAD_HALF_ARITHMETIC(__nv_bfloat16, __nv_bfloat162)
SLIMGRAD_HALF_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16)
#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
SLIMGRAD_HALF_OPERATORS(__nv_bfloat16)
#endif
#ifndef __CUDA_NO_BFLOAT162_OPERATORS__
SLIMGRAD_HALF_OPERATORS(__nv_bfloat162)
#endif
#pragma clang force_cuda_host_device end

SLIMGRAD_CACHED_ACCESS(__nv_bfloat16)
SLIMGRAD_CACHED_ACCESS(__nv_bfloat162)
SLIMGRAD_SHUFFLE(__nv_bfloat16)
SLIMGRAD_SHUFFLE(__nv_bfloat162)
__device__ __nv_bfloat16 atomicAdd(__nv_bfloat16*, __nv_bfloat16);
__device__ __nv_bfloat162 atomicAdd(__nv_bfloat162*, __nv_bfloat162);

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
