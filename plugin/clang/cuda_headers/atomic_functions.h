// Atomic functions, for the device, a block and the whole system.
#pragma once

#define SLIMGRAD_ATOMIC(name, type)                                                                \
    __device__ type name(type* address, type value);                                               \
    __device__ type name##_block(type* address, type value);                                       \
    __device__ type name##_system(type* address, type value);
#define SLIMGRAD_ATOMIC_EXCHANGE(type)                                                             \
    __device__ type atomicCAS(type* address, type expected, type value);                           \
    __device__ type atomicCAS_block(type* address, type expected, type value);                     \
    __device__ type atomicCAS_system(type* address, type expected, type value);

SLIMGRAD_ATOMIC(atomicAdd, int)
SLIMGRAD_ATOMIC(atomicAdd, unsigned int)
SLIMGRAD_ATOMIC(atomicAdd, unsigned long long)
SLIMGRAD_ATOMIC(atomicAdd, float)
SLIMGRAD_ATOMIC(atomicAdd, double)
SLIMGRAD_ATOMIC(atomicSub, int)
SLIMGRAD_ATOMIC(atomicSub, unsigned int)
SLIMGRAD_ATOMIC(atomicExch, int)
SLIMGRAD_ATOMIC(atomicExch, unsigned int)
SLIMGRAD_ATOMIC(atomicExch, unsigned long long)
SLIMGRAD_ATOMIC(atomicExch, float)
#define SLIMGRAD_ATOMICS_OF_INTEGERS(name)                                                         \
    SLIMGRAD_ATOMIC(name, int)                                                                     \
    SLIMGRAD_ATOMIC(name, unsigned int)                                                            \
    SLIMGRAD_ATOMIC(name, long long)                                                               \
    SLIMGRAD_ATOMIC(name, unsigned long long)
SLIMGRAD_ATOMICS_OF_INTEGERS(atomicMin)
SLIMGRAD_ATOMICS_OF_INTEGERS(atomicMax)
SLIMGRAD_ATOMICS_OF_INTEGERS(atomicAnd)
SLIMGRAD_ATOMICS_OF_INTEGERS(atomicOr)
SLIMGRAD_ATOMICS_OF_INTEGERS(atomicXor)
SLIMGRAD_ATOMIC(atomicInc, unsigned int)
SLIMGRAD_ATOMIC(atomicDec, unsigned int)
SLIMGRAD_ATOMIC_EXCHANGE(int)
SLIMGRAD_ATOMIC_EXCHANGE(unsigned int)
SLIMGRAD_ATOMIC_EXCHANGE(unsigned long long)
SLIMGRAD_ATOMIC_EXCHANGE(unsigned short)
#if __CUDA_ARCH__ >= 900
SLIMGRAD_ATOMIC(atomicAdd, float2)
SLIMGRAD_ATOMIC(atomicAdd, float4)
#endif

#undef SLIMGRAD_ATOMICS_OF_INTEGERS
#undef SLIMGRAD_ATOMIC_EXCHANGE
