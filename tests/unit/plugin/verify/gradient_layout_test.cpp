#include "plugin/verify/gradient_layout.h"

#include <doctest/doctest.h>

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

/// A texture "tex" of 16 x 16 texels, its gradient in a texture or in a buffer.
InputPlan plan_with(bool texture) {
    InputPlan plan;
    plan.buffers.resize(2);
    plan.buffers[0].name = "tex";
    plan.buffers[1].name = "gTex";
    plan.blocks.resize(1);
    plan.blocks[0].textures.push_back({0, 0, {16, 16}});
    if (texture)
        plan.blocks[0].textures.push_back({8, 1, {16, 16}});
    return plan;
}

std::optional<std::uint32_t> width(const std::string& text) {
    std::vector<SourceFile> files;
    files.emplace_back("k.slang", text);
    return width_in_index(build_module_model(std::move(files)), "gTex");
}

} // namespace

TEST_CASE("gradient layout: known where both are of one shape") {
    CHECK(unknown_layout(plan_with(true), {"tex", "gTex", ""}) == "");
    CHECK(unknown_layout(plan_with(false), {"tex", "gTex", ""}) ==
          "whether gTex has them in the order of tex's 16 x 16 elements");
    CHECK(unknown_layout(plan_with(false), {"gTex", "tex", ""}) ==
          ""); // a buffer has but one order
}

TEST_CASE("gradient layout: two tensors get one shape") {
    InputPlan plan = plan_with(true);
    plan.blocks[0].textures.clear();
    plan.blocks[0].tensors = {{0, 0, {50, 30}, {}}, {56, 1, {60, 24, 2}, {}}};
    for (BufferPlan& buffer : plan.buffers)
        buffer.stride = 4;
    CHECK(unknown_layout(plan, {"tex", "gTex", ""}) != "");
    even_shapes(plan, {"tex", "gTex", ""});
    for (const TensorHandle& tensor : plan.blocks[0].tensors) {
        CHECK(tensor.sizes == std::vector<std::uint32_t>{60, 30, 2});
        CHECK(tensor.strides == std::vector<std::uint32_t>{240, 8, 4});
    }
    CHECK(plan.buffers[1].elements == 3600);
    InputPlan textures = plan_with(true);
    even_shapes(textures, {"tex", "gTex", ""});
    CHECK(textures.blocks[0].textures[0].sizes == std::vector<std::uint32_t>{16, 16});
}

TEST_CASE("gradient layout: the width that indices are made with") {
    const std::string buffer =
        "RWStructuredBuffer<float> gTex; static const int W = 8; static const int H = 4;\n";
    CHECK(width(buffer + "void f(int2 p, int c) { gTex[(p.y * W + p.x) * 4 + c] += 1; }") == 8);
    CHECK(width("#define WIDTH 32\n" + buffer +
                "void f(int2 p) { gTex[p.y * WIDTH + p.x] += 1; }") == 32);
    CHECK_FALSE(width(buffer + "void f(int2 p) { gTex[(p.y * W + p.x) * H] += 1; }"));
    CHECK_FALSE(width(buffer + "void f(int2 p, int w) { gTex[p.y * w + p.x] += 1; }"));
}
