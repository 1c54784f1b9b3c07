// Barriers, fences, clocks and the ways for a thread to stop.
#pragma once

extern "C" {
__device__ void __syncthreads();
__device__ int __syncthreads_count(int);
__device__ int __syncthreads_and(int);
__device__ int __syncthreads_or(int);
__device__ void __threadfence();
__device__ void __threadfence_block();
__device__ void __threadfence_system();
__device__ long long clock64();
__device__ void __nanosleep(unsigned int);
__device__ void __trap();
__device__ void __brkpt();
__device__ void __prof_trigger(int);
}
