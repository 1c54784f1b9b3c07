#include "plugin/verify/cut_paths.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

ModuleModel model_of(const std::string& text) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", text);
    return build_module_model(std::move(files));
}

struct Cut {
    CutPath::Kind kind;
    std::uint32_t line;
    std::string name, text;
};

std::vector<Cut> cuts(const std::string& text, const std::string& function = "f") {
    const ModuleModel model = model_of(text);
    const EffectAnalysis effects(model);
    std::vector<Cut> result;
    for (const CutPath& cut : cut_paths(model, effects, function)) {
        REQUIRE(cut.texts.size() == 1);
        result.push_back({cut.kind, cut.place.line, cut.name, cut.texts.at("/p/a.slang")});
    }
    return result;
}

} // namespace

TEST_CASE("cuts: detach and no_diff, one at a time, in code that runs") {
    const std::string text = "float g(no_diff float a, no_diff uint i, float x) { return a * x; }\n"
                             "float other(float x) { return detach(x); }\n"
                             "[Differentiable] float f(no_diff float k, float x)\n"
                             "{\n"
                             "    float y = detach(x * 2.0) * x; // no_diff detach(x)\n"
                             "    return g(y, 1, no_diff(floor(x))) * no_diff g(x, 2, k);\n"
                             "}\n";
    const std::vector<Cut> found = cuts(text);
    REQUIRE(found.size() == 4);
    CHECK(found[0].kind == CutPath::Kind::no_diff);
    CHECK(found[0].name == "g");
    CHECK(found[0].text.starts_with("float g( float a, no_diff uint i,"));
    CHECK(found[1].kind == CutPath::Kind::detach);
    CHECK(found[1].line == 5);
    CHECK(found[1].text.find("float y = (x * 2.0) * x; // no_diff detach(x)\n") !=
          std::string::npos);
    CHECK(found[2].text.find("g(y, 1, (floor(x))) * no_diff g(x, 2, k)") != std::string::npos);
    CHECK(found[3].text.find("g(y, 1, no_diff(floor(x))) *  g(x, 2, k)") != std::string::npos);
    CHECK(found[3].name == "f");
    CHECK(cuts(text, "other").size() == 1);
    CHECK(cuts(text, "missing").empty());
    CHECK(cuts(text, "N.f<4>").size() == 4);
}

TEST_CASE("cuts: custom derivatives become generated ones") {
    const std::vector<Cut> plain =
        cuts("[BackwardDerivative(g_bwd)]\nfloat g(float x) { return x; }\n"
             "void g_bwd(inout DifferentialPair<float> x, float d) {}\n"
             "[Differentiable] float f(float x) { return g(x); }\n");
    REQUIRE(plain.size() == 1);
    CHECK(plain[0].kind == CutPath::Kind::custom_derivative);
    CHECK(plain[0].name == "g_bwd");
    CHECK(plain[0].line == 1);
    CHECK(plain[0].text.starts_with("[Differentiable]\nfloat g(float x)"));

    const std::vector<Cut> both =
        cuts("[Differentiable, BackwardDerivative(b)] [ForwardDerivative(c)] float f(float x) { "
             "return x; }\n"
             "void b(inout DifferentialPair<float> x, float d) {}\n"
             "DifferentialPair<float> c(DifferentialPair<float> x) { return x; }\n");
    REQUIRE(both.size() == 1);
    CHECK(both[0].text.starts_with("[Differentiable]  float f(float x)"));

    const std::vector<Cut> other_side =
        cuts("static float f(float x) { return x; }\n"
             "[BackwardDerivativeOf(f)]\nvoid b(inout DifferentialPair<float> x, float d) {}\n");
    REQUIRE(other_side.size() == 1);
    CHECK(other_side[0].name == "b");
    CHECK(other_side[0].text == "[Differentiable] static float f(float x) { return x; }\n"
                                "\nvoid b(inout DifferentialPair<float> x, float d) {}\n");
}

TEST_CASE("cuts: macros are left alone") {
    CHECK(cuts("#define CUT(x) detach(x)\n[Differentiable] float f(float x) { return CUT(x); }\n")
              .empty());
}

TEST_CASE("without PreferRecompute") {
    const auto without = [](const std::string& text) {
        const FileTexts texts = without_prefer_recompute(model_of(text));
        return texts.empty() ? std::string("unchanged") : texts.at("/p/a.slang");
    };
    CHECK(without("[Differentiable]\nfloat f(float x) { return x; }\n") == "unchanged");
    CHECK(without("[PreferRecompute]\n[Differentiable]\nfloat f(float x) { return x; }\n") ==
          "\n[Differentiable]\nfloat f(float x) { return x; }\n");
    CHECK(without("[Differentiable, PreferRecompute(SideEffectBehavior.Allow)] float f();\n"
                  "[PreferRecompute(SideEffectBehavior::Allow), MaxIters(4)] float g();\n"
                  "// [PreferRecompute]\n") == "[Differentiable] float f();\n"
                                               "[MaxIters(4)] float g();\n"
                                               "// [PreferRecompute]\n");
}
