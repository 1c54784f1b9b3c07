#include "plugin/verify/texture.h"

#include <bit>
#include <doctest/doctest.h>
#include <vector>

using namespace slimgrad::verify;

namespace {

float value(const Texel& texel, std::size_t component = 0) {
    return std::bit_cast<float>(texel[component]);
}

HostTexture texture_of(std::vector<float>& texels, std::array<std::uint32_t, 3> sizes,
                       std::uint32_t dimensions, std::uint32_t components = 1) {
    HostTexture texture;
    texture.texels = reinterpret_cast<unsigned char*>(texels.data());
    texture.sizes = sizes;
    texture.dimensions = dimensions;
    texture.components = components;
    return texture;
}

} // namespace

TEST_CASE("a sample lies between its texels, and wraps around") {
    std::vector<float> texels{1, 3, 5, 9};
    const HostTexture texture = texture_of(texels, {4, 1, 1}, 1);
    const auto at = [&](float x) { return value(sample(texture, TextureForm::line, &x)); };
    CHECK(at(0.5f / 4) == 1);
    CHECK(at(1.0f / 4) == 2);
    CHECK(at(0.0f) == 5); // halfway from the last to the first
    CHECK(at(1.5f / 4 + 3) == 3);
}

TEST_CASE("layers are not mixed") {
    std::vector<float> texels{1, 1, 7, 7};
    const HostTexture texture = texture_of(texels, {2, 2, 1}, 2);
    const float low[2] = {0.5f, 0.4f}, high[2] = {0.5f, 0.6f}, beyond[2] = {0.5f, 9};
    CHECK(value(sample(texture, TextureForm::line_array, low)) == 1);
    CHECK(value(sample(texture, TextureForm::line_array, high)) == 7);
    CHECK(value(sample(texture, TextureForm::line_array, beyond)) == 7);
}

TEST_CASE("a direction points to one face of a cube") {
    std::vector<float> texels{0, 1, 2, 3, 4, 5};
    const HostTexture texture = texture_of(texels, {1, 1, 6}, 3);
    const float directions[6][3] = {{2, 1, 0},  {-2, 1, 0}, {1, 2, 0},
                                    {0, -2, 1}, {0, 1, 2},  {1, 0, -2}};
    for (int face = 0; face < 6; ++face)
        CHECK(value(sample(texture, TextureForm::cube, directions[face])) == face);
}

TEST_CASE("texels outside: the nearest one is read, none is written") {
    std::vector<float> texels{1, 2, 3, 4, 5, 6, 7, 8};
    const HostTexture texture = texture_of(texels, {2, 2, 1}, 2, 2);
    const int inside[3] = {1, 0, 0}, outside[3] = {5, -1, 0};
    CHECK(value(fetch(texture, TextureForm::plane, inside), 1) == 4);
    CHECK(value(fetch(texture, TextureForm::plane, outside), 1) == 4);
    CHECK(address(texture, TextureForm::plane, inside) == &texels[2]);
    CHECK(address(texture, TextureForm::plane, outside) == nullptr);
}
