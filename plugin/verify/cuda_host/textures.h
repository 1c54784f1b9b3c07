// Textures and surfaces: the runner holds the texels and samples them.

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
template <class T> struct __nv_isurf_trait { typedef void type; };

enum { // plugin/verify/texture.h
    slimgrad_1d,
    slimgrad_2d,
    slimgrad_3d,
    slimgrad_cube,
    slimgrad_1d_array,
    slimgrad_2d_array,
    slimgrad_cube_array,
};

/// A texel of up to four 32-bit components.
template <class T> inline T slimgrad_texel(const void* components) {
    T result;
    memcpy(static_cast<void*>(&result), components, sizeof result);
    return result;
}
// Not on a device either.
template <> inline __half slimgrad_texel<__half>(const void*) = delete;
template <> inline __half2 slimgrad_texel<__half2>(const void*) = delete;
template <class T, class... C> static inline T slimgrad_sample(uint64_t texture, uint32_t form, float level, C... at) {
    const float coordinates[4] = {static_cast<float>(at)...};
    float components[4] = {};
    slimgrad_machine.sample(texture, form, coordinates, level, components);
    return slimgrad_texel<T>(components);
}
template <class T, class... C> static inline T slimgrad_fetch(uint64_t texture, uint32_t form, int level, C... at) {
    const int coordinates[4] = {static_cast<int>(at)...};
    float components[4] = {};
    slimgrad_machine.fetch(texture, form, coordinates, level, components);
    return slimgrad_texel<T>(components);
}

#define SLIMGRAD_TEXTURE(name, form, parameters, ...)                                              \
    template <class T> static inline T name(cudaTextureObject_t texture, SLIMGRAD_DROP parameters) { \
        return slimgrad_sample<T>(texture, form, 0.0f, __VA_ARGS__);                               \
    }                                                                                              \
    template <class T> static inline T name##Lod(cudaTextureObject_t texture, SLIMGRAD_DROP parameters, float level) { \
        return slimgrad_sample<T>(texture, form, level, __VA_ARGS__);                              \
    }                                                                                              \
    template <class T, class G>                                                                    \
    static inline T name##Grad(cudaTextureObject_t texture, SLIMGRAD_DROP parameters, G, G) {      \
        return slimgrad_sample<T>(texture, form, 0.0f, __VA_ARGS__);                               \
    }
#define SLIMGRAD_DROP(...) __VA_ARGS__
SLIMGRAD_TEXTURE(tex1D, slimgrad_1d, (float x), x)
SLIMGRAD_TEXTURE(tex2D, slimgrad_2d, (float x, float y), x, y)
SLIMGRAD_TEXTURE(tex3D, slimgrad_3d, (float x, float y, float z), x, y, z)
SLIMGRAD_TEXTURE(texCubemap, slimgrad_cube, (float x, float y, float z), x, y, z)
SLIMGRAD_TEXTURE(tex1DLayered, slimgrad_1d_array, (float x, int layer), x, layer)
SLIMGRAD_TEXTURE(tex2DLayered, slimgrad_2d_array, (float x, float y, int layer), x, y, layer)
SLIMGRAD_TEXTURE(texCubemapLayered, slimgrad_cube_array, (float x, float y, float z, int layer), x, y, z, layer)

// Surfaces: x counts bytes. Reading outside gives zero, writing outside does nothing.
#define SLIMGRAD_SURFACE(name, form, parameters, ...)                                              \
    template <class T>                                                                             \
    static inline T surf##name##read(cudaSurfaceObject_t surface, SLIMGRAD_DROP parameters,        \
                                     cudaSurfaceBoundaryMode = cudaBoundaryModeZero) {             \
        const int coordinates[4] = {__VA_ARGS__};                                                  \
        T value;                                                                                   \
        memset(static_cast<void*>(&value), 0, sizeof value);                                       \
        if (const void* texel = slimgrad_machine.surface(surface, form, coordinates, sizeof(T)))   \
            memcpy(static_cast<void*>(&value), texel, sizeof value);                               \
        return value;                                                                              \
    }                                                                                              \
    template <class T>                                                                             \
    static inline void surf##name##write(T value, cudaSurfaceObject_t surface, SLIMGRAD_DROP parameters, \
                                         cudaSurfaceBoundaryMode = cudaBoundaryModeZero) {         \
        const int coordinates[4] = {__VA_ARGS__};                                                  \
        if (void* texel = slimgrad_machine.surface(surface, form, coordinates, sizeof(T)))         \
            memcpy(texel, static_cast<const void*>(&value), sizeof value);                         \
    }
SLIMGRAD_SURFACE(1D, slimgrad_1d, (int x), x)
SLIMGRAD_SURFACE(2D, slimgrad_2d, (int x, int y), x, y)
SLIMGRAD_SURFACE(3D, slimgrad_3d, (int x, int y, int z), x, y, z)
SLIMGRAD_SURFACE(1DLayered, slimgrad_1d_array, (int x, int layer), x, layer)
SLIMGRAD_SURFACE(2DLayered, slimgrad_2d_array, (int x, int y, int layer), x, y, layer)
SLIMGRAD_SURFACE(Cubemap, slimgrad_cube, (int x, int y, int face), x, y, face)
SLIMGRAD_SURFACE(CubemapLayered, slimgrad_cube_array, (int x, int y, int face), x, y, face)
