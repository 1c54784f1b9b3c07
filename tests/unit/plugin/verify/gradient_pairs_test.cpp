#include "plugin/verify/gradient_pairs.h"

#include <doctest/doctest.h>
#include <fstream>
#include <sstream>

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

/// "gW->gWG by f; unpaired gX".
std::string pairs(const std::string& text,
                  const std::map<std::string, std::string>& configured = {}) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", text);
    const ModuleModel model = build_module_model(std::move(files));
    const EffectAnalysis effects(model);
    const GradientPairs found = gradient_pairs(model, effects, configured);
    std::string result;
    for (const GradientPair& pair : found.pairs)
        result += pair.buffer + "->" + pair.gradient +
                  (pair.obvious_from.empty() ? "" : " by " + pair.obvious_from) + "; ";
    for (const std::string& buffer : found.unpaired)
        result += "unpaired " + buffer + "; ";
    return result;
}

std::string corpus(const std::string& name) {
    std::ifstream file(SLIMGRAD_SOURCE_DIR "/corpus/" + name);
    std::ostringstream text;
    text << file.rdbuf();
    REQUIRE(!text.str().empty());
    return text.str();
}

const std::string buffers = "StructuredBuffer<float> gW; RWStructuredBuffer<float> gWG; "
                            "RWStructuredBuffer<float> gX; RWStructuredBuffer<uint> gU;\n";
const std::string load = "[BackwardDerivative(back)] float load(uint i) { return gW[i]; }\n";

} // namespace

TEST_CASE("pairs: what a custom derivative makes obvious") {
    for (const char* body :
         {"gWG[i] += d;", "gWG[i] = gWG[i] + d;", "gWG[ i ] = gWG[i] + 2.0f * d;",
          "InterlockedAdd(gWG[i], d);", "float old; InterlockedAdd(gWG[i], -d, old);"}) {
        INFO(body);
        CHECK(pairs(buffers + load + "void back(uint i, float.Differential d) { " + body + " }") ==
              "gW->gWG by back; ");
    }
    CHECK(pairs(buffers + load +
                "void add(float v, uint at) { gWG[at] += v; }\n"
                "void back(uint k, float.Differential d) { add(d, k); }") == "gW->gWG by back; ");
    CHECK(
        pairs(buffers +
              "float load(uint i) { return 3 * gW[i + 1]; }\n"
              "[BackwardDerivativeOf(load)] void back(uint k, float d) { gWG[k + 1] += 3 * d; }") ==
        "gW->gWG by back; ");
    CHECK(pairs("StructuredBuffer<float> gW; RWStructuredBuffer<Atomic<float>> gA;\n" + load +
                "void back(uint i, float d) { gA[i] += d; }") == "gW->gA by back; ");
}

TEST_CASE("pairs: anything else is not obvious") {
    for (const char* body : {"gWG[i + 1] += d;",              // another index
                             "gWG[0] += d;",                  //
                             "gWG[i] = d;",                   // does not add
                             "gWG[i] -= d;",                  //
                             "gWG[i] += 1.0f;",               // not the gradient
                             "gWG[i] += d; gX[i] += d;",      // two buffers
                             "gWG[i] += d; gWG[i + 1] += d;", // two elements
                             "gU[i] += uint(d);",             // another type
                             "InterlockedMax(gWG[i], d);", "add(i); "}) {
        INFO(body);
        CHECK(pairs(buffers + load +
                    "void add(uint i) { gWG[i] += 1; }\n"
                    "void back(uint i, float.Differential d) { " +
                    body + " }") == "unpaired gW; ");
    }
    // The function reads two elements, or two buffers.
    CHECK(pairs(buffers +
                "[BackwardDerivative(back)] float load(uint i) { return gW[i] + gW[i + 1]; }\n"
                "void back(uint i, float d) { gWG[i] += d; }") == "unpaired gW; ");
    CHECK(pairs(buffers +
                "[BackwardDerivative(back)] float load(uint i) { return gW[i] * gX[i]; }\n"
                "void back(uint i, float d) { gWG[i] += d; }") == "unpaired gW; unpaired gX; ");
    // Two derivatives that disagree; a derivative that writes nothing; a forward one.
    CHECK(pairs(buffers + load +
                "void back(uint i, float d) { gWG[i] += d; }\n"
                "[BackwardDerivative(other)] float take(uint i) { return gW[i]; }\n"
                "void other(uint i, float d) { gX[i] += d; }") == "unpaired gW; ");
    CHECK(pairs(buffers + load + "void back(uint i, float d) { }") == "");
    CHECK(
        pairs(
            buffers +
            "[ForwardDerivative(fwd)] float load(uint i) { return gW[i]; }\n"
            "DifferentialPair<float> fwd(uint i) { gX[i] += 1; return diffPair(gW[i], 0.0f); }") ==
        "");
}

TEST_CASE("pairs: what is configured stands") {
    const std::string text = buffers + load + "void back(uint i, float d) { gWG[i] += d; }";
    CHECK(pairs(text, {{"gW", "gX"}}) == "gW->gX; ");
    CHECK(pairs(text, {{"gU", "gX"}}) == "gU->gX; gW->gWG by back; ");
    CHECK(pairs(buffers + load + "void back(uint i, float d) { gWG[i + 1] += d; }",
                {{"gW", "gWG"}}) == "gW->gWG; ");
}

TEST_CASE("pairs: tensors have the names of the kernel's parameters") {
    const std::string text =
        "[BackwardDerivative(back)] float load(TensorView<float> v, TensorView<float> g, uint i) "
        "{\n"
        "    return v[i]; }\n"
        "void back(TensorView<float> v, TensorView<float> g, uint i, float d) {\n"
        "    float old; g.InterlockedAdd(i, d, old); }\n"
        "[Differentiable] float f(TensorView<float> v, TensorView<float> g) { return load(v, g, "
        "0); }\n"
        "[CUDAKernel] void train(TensorView<float> w, TensorView<float> gw) { bwd_diff(f)(w, gw, "
        "1); }\n";
    CHECK(pairs(text) == "unpaired w; ");
    CHECK(pairs(text, {{"w", "gw"}}) == "w->gw; ");
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", text);
    const ModuleModel model = build_module_model(std::move(files));
    const EffectAnalysis effects(model);
    CHECK(problem_of_pairs(model, effects, {{"w", "gw"}}) == "");
    CHECK(problem_of_pairs(model, effects, {{"gw", "w"}}) ==
          "gradient.gw: no custom derivative writes 'w'");
}

TEST_CASE("pairs: the corpus") {
    CHECK(pairs(corpus("mlp.slang")) == "gW->gWG by loadWeightBackward; ");
    CHECK(pairs(corpus("volume_march.slang")) == "gW->gWG by loadVoxelBackward; ");
    CHECK(pairs(corpus("hash_grid.slang")) == "gW->gWG by featureBackward; ");
    CHECK(pairs(corpus("component_visitor.slang")) == "gW->gWG by componentBackward; ");
    CHECK(pairs(corpus("gaussian_splat.slang")) == "unpaired splats; ");
    CHECK(pairs(corpus("online_update.slang")) == "unpaired gModel; ");
    CHECK(pairs(corpus("ode.slang")) == "");
}
