#pragma once

#include "plugin/verify/input_plan.h"

#include <array>
#include <cstdint>

namespace slimgrad::verify {

/// How a texture is addressed; the values of cuda_host/textures.h.
enum class TextureForm : std::uint32_t {
    line,
    plane,
    volume,
    cube,
    line_array,
    plane_array,
    cube_array,
};

/// The texels of a texture or surface, one mip level, x fastest. A cube is six layers.
struct HostTexture {
    unsigned char* texels = nullptr;
    std::array<std::uint32_t, 3> sizes{1, 1, 1}; ///< width, height, depth or layers
    std::uint32_t dimensions = 1;                ///< how many of them it has
    std::uint32_t components = 1;
    ScalarKind kind = ScalarKind::float32; ///< of a component
};

/// Four components as 32-bit values; those that the texture does not have are 0.
using Texel = std::array<std::uint32_t, 4>;

/// Samples at level 0 as a sampler with linear filter, wrapped and normalized coordinates does;
/// integer textures take the nearest texel. In full precision, where a device has 8 bits for the
/// weights. Layers count in whole numbers.
Texel sample(const HostTexture& texture, TextureForm form, const float* coordinates);
/// The texel at whole coordinates; outside, the nearest one.
Texel fetch(const HostTexture& texture, TextureForm form, const int* coordinates);
/// The texel's address, coordinates in texels; null: outside.
void* address(const HostTexture& texture, TextureForm form, const int* coordinates);

} // namespace slimgrad::verify
