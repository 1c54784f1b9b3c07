// Fetches from textures: by value, or into a place; some also say whether the texel is resident.
#pragma once

#include "texel_types.h"

#define SLIMGRAD_NAMES(...) __VA_ARGS__
/// `name` with `parameters`, whose names alone are `arguments`; both in parentheses.
#define SLIMGRAD_TEXTURE(name, parameters, arguments)                                              \
    template <typename T>                                                                          \
    __device__ typename __nv_itex_trait<T>::type name(T*, cudaTextureObject_t,                     \
                                                      SLIMGRAD_NAMES parameters);                  \
    template <typename T>                                                                          \
    __device__ T name(cudaTextureObject_t texture, SLIMGRAD_NAMES parameters) {                    \
        T texel;                                                                                   \
        name(&texel, texture, SLIMGRAD_NAMES arguments);                                           \
        return texel;                                                                              \
    }
#define SLIMGRAD_SPARSE_TEXTURE(name, parameters, arguments)                                       \
    SLIMGRAD_TEXTURE(name, parameters, arguments)                                                  \
    template <typename T>                                                                          \
    __device__ typename __nv_itex_trait<T>::type name(T*, cudaTextureObject_t,                     \
                                                      SLIMGRAD_NAMES parameters, bool* resident);  \
    template <typename T>                                                                          \
    __device__ T name(cudaTextureObject_t texture, SLIMGRAD_NAMES parameters, bool* resident) {    \
        T texel;                                                                                   \
        name(&texel, texture, SLIMGRAD_NAMES arguments, resident);                                 \
        return texel;                                                                              \
    }

SLIMGRAD_TEXTURE(tex1Dfetch, (int x), (x))
SLIMGRAD_TEXTURE(tex1D, (float x), (x))
SLIMGRAD_TEXTURE(tex1DLod, (float x, float level), (x, level))
SLIMGRAD_TEXTURE(tex1DGrad, (float x, float dx, float dy), (x, dx, dy))
SLIMGRAD_TEXTURE(tex1DLayered, (float x, int layer), (x, layer))
SLIMGRAD_TEXTURE(tex1DLayeredLod, (float x, int layer, float level), (x, layer, level))
SLIMGRAD_TEXTURE(tex1DLayeredGrad, (float x, int layer, float dx, float dy), (x, layer, dx, dy))
SLIMGRAD_SPARSE_TEXTURE(tex2D, (float x, float y), (x, y))
SLIMGRAD_SPARSE_TEXTURE(tex2DLod, (float x, float y, float level), (x, y, level))
SLIMGRAD_SPARSE_TEXTURE(tex2DGrad, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy))
SLIMGRAD_SPARSE_TEXTURE(tex2DLayered, (float x, float y, int layer), (x, y, layer))
SLIMGRAD_SPARSE_TEXTURE(tex2DLayeredLod, (float x, float y, int layer, float level),
                        (x, y, layer, level))
SLIMGRAD_SPARSE_TEXTURE(tex2DLayeredGrad, (float x, float y, int layer, float2 dx, float2 dy),
                        (x, y, layer, dx, dy))
SLIMGRAD_SPARSE_TEXTURE(tex3D, (float x, float y, float z), (x, y, z))
SLIMGRAD_SPARSE_TEXTURE(tex3DLod, (float x, float y, float z, float level), (x, y, z, level))
SLIMGRAD_SPARSE_TEXTURE(tex3DGrad, (float x, float y, float z, float4 dx, float4 dy),
                        (x, y, z, dx, dy))
SLIMGRAD_TEXTURE(texCubemap, (float x, float y, float z), (x, y, z))
SLIMGRAD_TEXTURE(texCubemapLod, (float x, float y, float z, float level), (x, y, z, level))
SLIMGRAD_TEXTURE(texCubemapGrad, (float x, float y, float z, float4 dx, float4 dy),
                 (x, y, z, dx, dy))
SLIMGRAD_TEXTURE(texCubemapLayered, (float x, float y, float z, int layer), (x, y, z, layer))
SLIMGRAD_TEXTURE(texCubemapLayeredLod, (float x, float y, float z, int layer, float level),
                 (x, y, z, layer, level))
SLIMGRAD_TEXTURE(texCubemapLayeredGrad,
                 (float x, float y, float z, int layer, float4 dx, float4 dy),
                 (x, y, z, layer, dx, dy))

template <typename T>
__device__ typename __nv_itex_trait<T>::type tex2Dgather(T*, cudaTextureObject_t, float x, float y,
                                                         int component = 0);
template <typename T>
__device__ typename __nv_itex_trait<T>::type tex2Dgather(T*, cudaTextureObject_t, float x, float y,
                                                         bool* resident, int component = 0);
template <typename T>
__device__ T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0) {
    T texels;
    tex2Dgather(&texels, texture, x, y, component);
    return texels;
}
template <typename T>
__device__ T tex2Dgather(cudaTextureObject_t texture, float x, float y, bool* resident,
                         int component = 0) {
    T texels;
    tex2Dgather(&texels, texture, x, y, resident, component);
    return texels;
}

#undef SLIMGRAD_TEXTURE
#undef SLIMGRAD_SPARSE_TEXTURE
