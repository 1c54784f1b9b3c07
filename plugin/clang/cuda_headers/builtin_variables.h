// Where a thread is in its launch.
#pragma once

#include "vector_types.h"

extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
extern const __device__ int warpSize;

// A launch `kernel<<<grid, block>>>(...)` in a text is a call of this.
extern "C" __host__ __device__ unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                                                        size_t shared = 0,
                                                                        void* stream = nullptr);
