// The numbers of eight bits and their pairs and quadruples. They convert only where it is asked for.
#pragma once

#include "cuda_bf16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#define SLIMGRAD_FP8(name)                                                                         \
    struct __align__(1) __nv_fp8_##name {                                                          \
        __nv_fp8_storage_t __x;                                                                    \
        __nv_fp8_##name() = default;                                                               \
        explicit __nv_fp8_##name(const __half);                                                    \
        explicit __nv_fp8_##name(const __nv_bfloat16);                                             \
        explicit __nv_fp8_##name(float);                                                           \
        explicit __nv_fp8_##name(double);                                                          \
        explicit __nv_fp8_##name(short);                                                           \
        explicit __nv_fp8_##name(unsigned short);                                                  \
        explicit __nv_fp8_##name(int);                                                             \
        explicit __nv_fp8_##name(unsigned int);                                                    \
        explicit __nv_fp8_##name(long);                                                            \
        explicit __nv_fp8_##name(unsigned long);                                                   \
        explicit __nv_fp8_##name(long long);                                                       \
        explicit __nv_fp8_##name(unsigned long long);                                              \
        explicit operator __half() const;                                                          \
        explicit operator __nv_bfloat16() const;                                                   \
        explicit operator float() const;                                                           \
        explicit operator double() const;                                                          \
        explicit operator char() const;                                                            \
        explicit operator signed char() const;                                                     \
        explicit operator unsigned char() const;                                                   \
        explicit operator short() const;                                                           \
        explicit operator unsigned short() const;                                                  \
        explicit operator int() const;                                                             \
        explicit operator unsigned int() const;                                                    \
        explicit operator long() const;                                                            \
        explicit operator unsigned long() const;                                                   \
        explicit operator long long() const;                                                       \
        explicit operator unsigned long long() const;                                              \
        explicit operator bool() const;                                                            \
    };                                                                                             \
    struct __align__(2) __nv_fp8x2_##name {                                                        \
        __nv_fp8x2_storage_t __x;                                                                  \
        __nv_fp8x2_##name() = default;                                                             \
        explicit __nv_fp8x2_##name(const __half2);                                                 \
        explicit __nv_fp8x2_##name(const __nv_bfloat162);                                          \
        explicit __nv_fp8x2_##name(float2);                                                        \
        explicit __nv_fp8x2_##name(double2);                                                       \
        explicit operator __half2() const;                                                         \
        explicit operator float2() const;                                                          \
    };                                                                                             \
    struct __align__(4) __nv_fp8x4_##name {                                                        \
        __nv_fp8x4_storage_t __x;                                                                  \
        __nv_fp8x4_##name() = default;                                                             \
        explicit __nv_fp8x4_##name(const __half2, const __half2);                                  \
        explicit __nv_fp8x4_##name(const __nv_bfloat162, const __nv_bfloat162);                    \
        explicit __nv_fp8x4_##name(float4);                                                        \
        explicit __nv_fp8x4_##name(double4);                                                       \
        explicit operator float4() const;                                                          \
    };

#pragma clang force_cuda_host_device begin
SLIMGRAD_FP8(e4m3)
SLIMGRAD_FP8(e5m2)

#define SLIMGRAD_TO_FP8(from, type)                                                                \
    __nv_fp8_storage_t __nv_cvt_##from##_to_fp8(type, __nv_saturation_t, __nv_fp8_interpretation_t);
#define SLIMGRAD_TO_FP8X2(from, type)                                                              \
    __nv_fp8x2_storage_t __nv_cvt_##from##_to_fp8x2(type, __nv_saturation_t,                       \
                                                    __nv_fp8_interpretation_t);
SLIMGRAD_TO_FP8(double, double)
SLIMGRAD_TO_FP8(float, float)
SLIMGRAD_TO_FP8(halfraw, __half_raw)
SLIMGRAD_TO_FP8(bfloat16raw, __nv_bfloat16_raw)
SLIMGRAD_TO_FP8X2(double2, double2)
SLIMGRAD_TO_FP8X2(float2, float2)
SLIMGRAD_TO_FP8X2(halfraw2, __half2_raw)
SLIMGRAD_TO_FP8X2(bfloat16raw2, __nv_bfloat162_raw)
__half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t, __nv_fp8_interpretation_t);
__half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t, __nv_fp8_interpretation_t);
#pragma clang force_cuda_host_device end

#undef SLIMGRAD_FP8
#undef SLIMGRAD_TO_FP8
#undef SLIMGRAD_TO_FP8X2
