// Reads and writes of surfaces; x counts bytes.
#pragma once

#include "texel_types.h"

#define SLIMGRAD_COORDINATES(...) __VA_ARGS__
#define SLIMGRAD_SURFACE(name, parameters, arguments)                                              \
    template <typename T>                                                                          \
    __device__ typename __nv_isurf_trait<T>::type name##read(                                      \
        T*, cudaSurfaceObject_t, SLIMGRAD_COORDINATES parameters,                                  \
        cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);                                           \
    template <typename T>                                                                          \
    __device__ T name##read(cudaSurfaceObject_t surface, SLIMGRAD_COORDINATES parameters,          \
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                 \
        T texel;                                                                                   \
        name##read(&texel, surface, SLIMGRAD_COORDINATES arguments, mode);                         \
        return texel;                                                                              \
    }                                                                                              \
    template <typename T>                                                                          \
    __device__ typename __nv_isurf_trait<T>::type name##write(                                     \
        T, cudaSurfaceObject_t, SLIMGRAD_COORDINATES parameters,                                   \
        cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);

SLIMGRAD_SURFACE(surf1D, (int x), (x))
SLIMGRAD_SURFACE(surf2D, (int x, int y), (x, y))
SLIMGRAD_SURFACE(surf3D, (int x, int y, int z), (x, y, z))
SLIMGRAD_SURFACE(surf1DLayered, (int x, int layer), (x, layer))
SLIMGRAD_SURFACE(surf2DLayered, (int x, int y, int layer), (x, y, layer))
SLIMGRAD_SURFACE(surfCubemap, (int x, int y, int face), (x, y, face))
SLIMGRAD_SURFACE(surfCubemapLayered, (int x, int y, int layer_face), (x, y, layer_face))

#undef SLIMGRAD_SURFACE
