// The types that texture and surface functions take; for others there is no function.
#pragma once

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };

/// `type` is void where a texture holds elements of type T.
template <typename T> struct __nv_itex_trait {};
/// The same for a surface.
template <typename T> struct __nv_isurf_trait {};

#define SLIMGRAD_TEXEL_TYPE(trait, name)                                                           \
    template <> struct trait<name> {                                                               \
        typedef void type;                                                                         \
    };
#define SLIMGRAD_TEXEL_TYPES(trait, name, scalar)                                                  \
    SLIMGRAD_TEXEL_TYPE(trait, scalar)                                                             \
    SLIMGRAD_TEXEL_TYPE(trait, name##1)                                                            \
    SLIMGRAD_TEXEL_TYPE(trait, name##2)                                                            \
    SLIMGRAD_TEXEL_TYPE(trait, name##4)
#define SLIMGRAD_COMMON_TEXEL_TYPES(trait)                                                         \
    SLIMGRAD_TEXEL_TYPE(trait, char)                                                               \
    SLIMGRAD_TEXEL_TYPES(trait, char, signed char)                                                 \
    SLIMGRAD_TEXEL_TYPES(trait, uchar, unsigned char)                                              \
    SLIMGRAD_TEXEL_TYPES(trait, short, short)                                                      \
    SLIMGRAD_TEXEL_TYPES(trait, ushort, unsigned short)                                            \
    SLIMGRAD_TEXEL_TYPES(trait, int, int)                                                          \
    SLIMGRAD_TEXEL_TYPES(trait, uint, unsigned int)                                                \
    SLIMGRAD_TEXEL_TYPES(trait, float, float)
SLIMGRAD_COMMON_TEXEL_TYPES(__nv_itex_trait)
SLIMGRAD_COMMON_TEXEL_TYPES(__nv_isurf_trait)
SLIMGRAD_TEXEL_TYPE(__nv_isurf_trait, long long)
SLIMGRAD_TEXEL_TYPE(__nv_isurf_trait, longlong1)
SLIMGRAD_TEXEL_TYPE(__nv_isurf_trait, longlong2)
SLIMGRAD_TEXEL_TYPE(__nv_isurf_trait, unsigned long long)
SLIMGRAD_TEXEL_TYPE(__nv_isurf_trait, ulonglong1)
SLIMGRAD_TEXEL_TYPE(__nv_isurf_trait, ulonglong2)

#undef SLIMGRAD_COMMON_TEXEL_TYPES
#undef SLIMGRAD_TEXEL_TYPES
#undef SLIMGRAD_TEXEL_TYPE
