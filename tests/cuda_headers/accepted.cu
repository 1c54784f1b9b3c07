// CUDA of every kind that Slang's text or its prelude uses, one group per function. nvcc and
// slimgrad-clang have to accept it; tests/cuda_headers.sh asks both.
#include <cassert>
#include <cstdint>
#include <stdio.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

static_assert(sizeof(float3) == 12 && alignof(float4) == 16 && alignof(double4) == 16, "");
static_assert(sizeof(__half2) == 4 && alignof(__half2) == 4 && sizeof(__nv_fp8x4_e4m3) == 4, "");
static_assert(sizeof(long2) == 16 && alignof(longlong2) == 16 && sizeof(uchar3) == 3, "");

__constant__ float table[16];
__shared__ int tile[32];

__device__ void vectors(float4* out)
{
    const uint3 at = threadIdx;
    const dim3 size = blockDim;
    out[at.x + blockIdx.x * size.x] = make_float4(1.0f, 2.0f, table[3], float(gridDim.y + warpSize));
    const double2 pair = make_double2(1.0, 2.0);
    const longlong2 wide = make_longlong2(1ll, 2ll);
    out->x = float(pair.x) + float(wide.y) + make_uchar4(1, 2, 3, 4).w + make_short2(1, 2).x;
}

__device__ double mathematics(float f, double d, int i)
{
    float s, c;
    double ds, dc;
    int e;
    sincosf(f, &s, &c);
    sincos(d, &ds, &dc);
    f = sinf(f) + sin(f) + powf(f, 2.0f) + pow(f, f) + fmaf(f, f, f) + rsqrtf(f) + __expf(f) + __frcp_rn(f);
    d = fma(d, d, d) + tanh(d) + fmod(d, d) + frexp(d, &e) + modf(d, &ds) + __dmul_rn(d, d) + rsqrt(d);
    f += min(f, 1.0f) + max(i, 3) + min(3u, 4u) + abs(i) + abs(f) + fabsf(f) + copysignf(f, f);
    f += isnan(f) + isinf(f) + isfinite(d) + signbit(f) + __saturatef(f) + remainderf(f, f) + exp10f(f);
    return f + d + __clz(i) + __popcll(7ull) + __ffs(i) + int(__brev(7u)) + __umulhi(3u, 4u);
}

__device__ long long bits(float f, double d, int i)
{
    f = __int_as_float(i) + __uint_as_float(3u) + __ll2float_rn(4ll) + __double2float_rz(d);
    return __float_as_int(f) + __float_as_uint(f) + __double_as_longlong(d) + __double2loint(d) +
           __float2int_rn(f) + (long long)__hiloint2double(1, 2);
}

__device__ void atomics(int* i, unsigned int* u, unsigned long long* w, float* f, double* d)
{
    atomicAdd(i, 1); atomicAdd(u, 1u); atomicAdd(w, 1ull); atomicAdd(f, 1.0f); atomicAdd(d, 1.0);
    atomicMin(i, 1); atomicMax(w, 1ull); atomicAnd(u, 1u); atomicOr(i, 1); atomicXor(w, 1ull);
    atomicExch(f, 1.0f); atomicCAS(i, 0, 1); atomicCAS(w, 0ull, 1ull); atomicInc(u, 4u); atomicSub(i, 1);
    atomicAdd_block(i, 1); atomicMax_system(u, 1u);
}

__device__ float warps(int i, float f, double d, unsigned long long w)
{
    const unsigned int mask = __activemask();
    int all;
    f = __shfl_sync(mask, f, 0) + __shfl_xor_sync(mask, i, 1) + __shfl_up_sync(mask, w, 1) + __shfl_down_sync(mask, d, 1u, 16);
    __syncwarp();
    __syncthreads();
    __threadfence(); __threadfence_block(); __threadfence_system();
    return f + __ballot_sync(mask, i) + __all_sync(mask, i) + __any_sync(mask, i) + __match_any_sync(mask, f) +
           __match_all_sync(mask, d, &all) + __reduce_add_sync(mask, i) + __reduce_xor_sync(mask, 7u) + tile[i];
}

__device__ float4 textures(cudaTextureObject_t texture, cudaSurfaceObject_t surface)
{
    float4 texel = tex2D<float4>(texture, 0.5f, 0.5f);
    texel.x += tex1D<float>(texture, 0.5f) + tex3D<float2>(texture, 0.5f, 0.5f, 0.5f).y + tex1Dfetch<int>(texture, 3);
    texel.x += tex2DLod<uint4>(texture, 0.5f, 0.5f, 1.0f).x + tex2DLayered<float>(texture, 0.5f, 0.5f, 1);
    texel.x += tex2DGrad<float>(texture, 0.5f, 0.5f, make_float2(1, 1), make_float2(1, 1)) + tex2Dgather<float4>(texture, 0.5f, 0.5f, 1).y;
    texel.x += texCubemap<float>(texture, 1, 0, 0) + texCubemapLayeredLod<float>(texture, 1, 0, 0, 1, 2.0f);
    surf2Dwrite(texel, surface, 16, 1, cudaBoundaryModeZero);
    surf1Dwrite<unsigned short>(3, surface, 2);
    return surf3Dread<float4>(surface, 0, 1, 2, cudaBoundaryModeClamp);
}

__device__ float halves(__half h, __half2 pair, float f, __half* out)
{
    __half sum = h + h * h / __half(2) - __half(f);
    sum += 1;
    sum = __hfma(sum, h, h) + hsin(h) + hexp2(h) + __float2half(f) + __hmax(h, sum);
    pair = __hadd2(pair, __half2half2(h)) * pair;
    atomicAdd(out, sum);
    *out = __shfl_sync(0xffffffff, sum, 3) + __ldg(out) + __ushort_as_half(3) + __low2half(pair);
    if (sum > h && !__hisnan(h))
        f = sum;
    return f + __half2float(h) + int(h) + __half_as_ushort(h) + __high2float(pair) + __int2half_rn(3).operator float();
}

__device__ float small_floats(__nv_bfloat16 b, __nv_fp8_e4m3 q, __nv_fp8_e5m2 r)
{
    __nv_bfloat16 sum = b * b + __float2bfloat16(1.0f);
    sum = __hfma(sum, b, b) + hsqrt(b);
    const __nv_bfloat162 pair = __bfloat162bfloat162(sum);
    return float(sum) + __bfloat162float(b) + float(q) + float(__half(r)) + __low2float(pair) +
           __nv_fp8_e4m3(1.0f).__x + __bfloat16_as_ushort(b);
}

__device__ int memory(const int4* from, float* to, const unsigned char* bytes)
{
    __stcs(to, 1.0f);
    memcpy(to, from, 16);
    memset(to, 0, 4);
    assert(from != nullptr);
    int wide;
    asm volatile("add.s32 %0, %1, %2;" : "=r"(wide) : "r"(3), "r"(4) : "memory");
    return __ldg(from).x + __ldcg(bytes) + int(clock64()) + int(clock()) + wide;
}

extern "C" __global__ void __launch_bounds__(64, 2) kernel(float* __restrict__ out, const uint64_t count)
{
    if (threadIdx.x < count)
        printf("%d %f\n", int(count), *out);
    __nanosleep(10);
    if (count == 77)
        __trap();
}
