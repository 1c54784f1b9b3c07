// Loads and stores with a cache hint, and what is known of an address.
#pragma once

#define SLIMGRAD_CACHED_ACCESS(type)                                                               \
    __device__ type __ldg(const type*);                                                            \
    __device__ type __ldca(const type*);                                                           \
    __device__ type __ldcg(const type*);                                                           \
    __device__ type __ldcs(const type*);                                                           \
    __device__ type __ldcv(const type*);                                                           \
    __device__ type __ldlu(const type*);                                                           \
    __device__ void __stcg(type*, type);                                                           \
    __device__ void __stcs(type*, type);                                                           \
    __device__ void __stwb(type*, type);                                                           \
    __device__ void __stwt(type*, type);
SLIMGRAD_CACHED_ACCESS(char)
SLIMGRAD_CACHED_ACCESS(signed char)
SLIMGRAD_CACHED_ACCESS(short)
SLIMGRAD_CACHED_ACCESS(int)
SLIMGRAD_CACHED_ACCESS(long)
SLIMGRAD_CACHED_ACCESS(long long)
SLIMGRAD_CACHED_ACCESS(unsigned char)
SLIMGRAD_CACHED_ACCESS(unsigned short)
SLIMGRAD_CACHED_ACCESS(unsigned int)
SLIMGRAD_CACHED_ACCESS(unsigned long)
SLIMGRAD_CACHED_ACCESS(unsigned long long)
SLIMGRAD_CACHED_ACCESS(float)
SLIMGRAD_CACHED_ACCESS(double)
SLIMGRAD_CACHED_ACCESS(char2)
SLIMGRAD_CACHED_ACCESS(char4)
SLIMGRAD_CACHED_ACCESS(short2)
SLIMGRAD_CACHED_ACCESS(short4)
SLIMGRAD_CACHED_ACCESS(int2)
SLIMGRAD_CACHED_ACCESS(int4)
SLIMGRAD_CACHED_ACCESS(longlong2)
SLIMGRAD_CACHED_ACCESS(uchar2)
SLIMGRAD_CACHED_ACCESS(uchar4)
SLIMGRAD_CACHED_ACCESS(ushort2)
SLIMGRAD_CACHED_ACCESS(ushort4)
SLIMGRAD_CACHED_ACCESS(uint2)
SLIMGRAD_CACHED_ACCESS(uint4)
SLIMGRAD_CACHED_ACCESS(ulonglong2)
SLIMGRAD_CACHED_ACCESS(float2)
SLIMGRAD_CACHED_ACCESS(float4)
SLIMGRAD_CACHED_ACCESS(double2)

__device__ unsigned int __isGlobal(const void*);
__device__ unsigned int __isShared(const void*);
__device__ unsigned int __isConstant(const void*);
__device__ unsigned int __isLocal(const void*);
__device__ size_t __cvta_generic_to_global(const void*);
__device__ size_t __cvta_generic_to_shared(const void*);
__device__ size_t __cvta_generic_to_constant(const void*);
__device__ size_t __cvta_generic_to_local(const void*);
__device__ void* __cvta_global_to_generic(size_t);
__device__ void* __cvta_shared_to_generic(size_t);
