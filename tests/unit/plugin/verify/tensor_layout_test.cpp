#include "plugin/verify/tensor_layout.h"

#include <doctest/doctest.h>

using namespace slimgrad::verify;

TEST_CASE("what a texture or tensor holds, by its type's name") {
    const auto texel = element_type("Texture2D<vector<float,4>>");
    REQUIRE(texel);
    CHECK(texel->kind == ScalarKind::float32);
    CHECK(texel->components == 4);
    const auto element = element_type("DiffTensorView<double, AtomicAdd>");
    REQUIRE(element);
    CHECK(element->kind == ScalarKind::float64);
    CHECK(element->components == 1);
    CHECK(!element_type("TensorView<Material>"));
    CHECK(!element_type("DiffTensorView"));
}

TEST_CASE("textures have sizes by their shape") {
    CHECK(texture_sizes("RWTexture2D<float>") == std::vector<std::uint32_t>{16, 16});
    CHECK(texture_sizes("TextureCube<vector<float,4>>").back() == 6);
    CHECK(texture_sizes("Texture2DMS<float>").empty());
}

TEST_CASE("elements and strides without gaps") {
    CHECK(elements_of({3, 4, 5}) == 60);
    CHECK(elements_of({1u << 31, 1u << 31, 4}) > (1ull << 25));
    CHECK(contiguous({3, 4, 5}, 8) == std::vector<std::uint32_t>{160, 40, 8});
}
