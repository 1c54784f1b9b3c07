// new and delete in device code.
#pragma once

__device__ void* operator new(size_t);
__device__ void* operator new[](size_t);
__device__ void operator delete(void*) noexcept;
__device__ void operator delete[](void*) noexcept;
__host__ __device__ inline void* operator new(size_t, void* place) noexcept { return place; }
__host__ __device__ inline void* operator new[](size_t, void* place) noexcept { return place; }
