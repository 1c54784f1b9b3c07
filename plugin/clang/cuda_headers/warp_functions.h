// What the threads of a warp tell each other.
#pragma once

#define SLIMGRAD_SHUFFLE(type)                                                                     \
    __device__ type __shfl_sync(unsigned int mask, type value, int lane, int width = warpSize);    \
    __device__ type __shfl_up_sync(unsigned int mask, type value, unsigned int delta,              \
                                   int width = warpSize);                                          \
    __device__ type __shfl_down_sync(unsigned int mask, type value, unsigned int delta,            \
                                     int width = warpSize);                                        \
    __device__ type __shfl_xor_sync(unsigned int mask, type value, int lanes, int width = warpSize);
#define SLIMGRAD_SHUFFLE_AND_MATCH(type)                                                           \
    SLIMGRAD_SHUFFLE(type)                                                                         \
    __device__ unsigned int __match_any_sync(unsigned int mask, type value);                       \
    __device__ unsigned int __match_all_sync(unsigned int mask, type value, int* all);
SLIMGRAD_SHUFFLE_AND_MATCH(int)
SLIMGRAD_SHUFFLE_AND_MATCH(unsigned int)
SLIMGRAD_SHUFFLE_AND_MATCH(long)
SLIMGRAD_SHUFFLE_AND_MATCH(unsigned long)
SLIMGRAD_SHUFFLE_AND_MATCH(long long)
SLIMGRAD_SHUFFLE_AND_MATCH(unsigned long long)
SLIMGRAD_SHUFFLE_AND_MATCH(float)
SLIMGRAD_SHUFFLE_AND_MATCH(double)

extern "C" __device__ void __syncwarp(unsigned int mask = 0xffffffff);
__device__ unsigned int __activemask();
__device__ unsigned int __ballot_sync(unsigned int mask, int);
__device__ int __all_sync(unsigned int mask, int);
__device__ int __any_sync(unsigned int mask, int);
__device__ int __uni_sync(unsigned int mask, int);

#define SLIMGRAD_REDUCE(name, type) __device__ type name(unsigned int mask, type value);
SLIMGRAD_REDUCE(__reduce_add_sync, int)
SLIMGRAD_REDUCE(__reduce_add_sync, unsigned int)
SLIMGRAD_REDUCE(__reduce_min_sync, int)
SLIMGRAD_REDUCE(__reduce_min_sync, unsigned int)
SLIMGRAD_REDUCE(__reduce_max_sync, int)
SLIMGRAD_REDUCE(__reduce_max_sync, unsigned int)
SLIMGRAD_REDUCE(__reduce_and_sync, unsigned int)
SLIMGRAD_REDUCE(__reduce_or_sync, unsigned int)
SLIMGRAD_REDUCE(__reduce_xor_sync, unsigned int)

#undef SLIMGRAD_SHUFFLE_AND_MATCH
#undef SLIMGRAD_REDUCE
