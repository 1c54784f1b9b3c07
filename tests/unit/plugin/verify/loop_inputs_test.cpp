#include "plugin/verify/loop_inputs.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

using Names = std::vector<std::string>;
using Inputs = std::optional<Names>;

/// Of the first loop in a differentiated function with this body.
Inputs inputs(const std::string& body, const std::string& before = "") {
    std::vector<SourceFile> files;
    files.emplace_back(
        "/p/a.slang",
        "struct P { float near; float step; };\n"
        "ConstantBuffer<P> params;\n"
        "RWStructuredBuffer<float> gIn; RWStructuredBuffer<float> gDt;\n"
        "RWStructuredBuffer<int> gNext;\n" +
            before +
            "[Differentiable] float f(float x, float y, no_diff float dt, no_diff int a) {\n"
            "float s = x; float t = 0;\n" +
            body +
            "\nreturn s; }\n"
            "[shader(\"compute\")] void gradMain(uint3 tid : SV_DispatchThreadID) {\n"
            "uint b = tid.x * 2; var x = diffPair(gIn[b], 0.f);\n"
            "var y = diffPair(gIn[b + 1], 0.f); float step = params.step;\n"
            "bwd_diff(f)(x, y, gDt[0], gNext[tid.x], 1.f); }\n");
    return loop_inputs(build_module_model(std::move(files)), 0);
}

} // namespace

TEST_SUITE("plugin/verify/loop_inputs") {
    TEST_CASE("what the condition's names are assigned from, through parameters") {
        CHECK(inputs("[MaxIters(8)] while (t < 1) { s *= y; t += dt; }") == Inputs{Names{"gDt"}});
        CHECK(inputs("[MaxIters(8)] while (a != -1) { s *= y; a = gNext[a]; }") ==
              Inputs{Names{"gNext"}});
        CHECK(inputs("[MaxIters(8)] while (t < 1) { t += params.step; }") ==
              Inputs{Names{"params.step"}});
    }

    TEST_CASE("where a break leaves it, or the condition names no input, the body counts too") {
        CHECK(inputs("[MaxIters(8)] while (t < 1) { t += 0.1; if (s > dt) break; }") ==
              Inputs{Names{"gIn", "gDt"}});
        CHECK(inputs("[MaxIters(8)] while (t < 1) { if (dt > 0) t += 0.1; }") ==
              Inputs{Names{"gDt"}});
        CHECK(inputs("[MaxIters(8)] while (t < 1) { t += 0.1; }") == Inputs{Names{}});
    }

    TEST_CASE("functions that are called count") {
        CHECK(inputs("[MaxIters(8)] while (more(t)) { t += 1; }",
                     "bool more(float t) { return t < gDt[3]; }\n") == Inputs{Names{"gDt"}});
    }

    TEST_CASE("names that cannot be followed") {
        CHECK(inputs("[MaxIters(8)] while (t < 1) { next(t); }",
                     "void next(inout float t) { t += 1; }\n") == std::nullopt);
        CHECK(inputs("[MaxIters(8)] while (t < LAST) { t += dt; }") == std::nullopt);
        CHECK(inputs("[MaxIters(8)] while (t < gLast) { t += dt; }", "static float gLast;\n") ==
              std::nullopt);
    }
}
