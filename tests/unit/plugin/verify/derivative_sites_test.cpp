#include "plugin/verify/derivative_sites.h"

#include "plugin/verify/derivative_members.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

ModuleModel model_of(const std::string& text) {
    std::vector<SourceFile> files;
    files.emplace_back("k.slang", text);
    return build_module_model(std::move(files));
}

} // namespace

TEST_CASE("derivative sites: calls that the entry point reaches, with the names they may have") {
    const ModuleModel model = model_of(
        "#define COUNT 8\n"
        "[Differentiable] float f(float x) { return x; }\n"
        "namespace N { void helper(inout DifferentialPair<float> p) { bwd_diff ( g<COUNT> )(p, 1); "
        "} }\n"
        "void other() { DifferentialPair<float> p; bwd_diff(f)(p, 1); }\n"
        "[shader(\"compute\")] [numthreads(1,1,1)] void main() {\n"
        "    DifferentialPair<float> p; N.helper(p); __bwd_diff(f)(p, 1); fwd_diff(f)(p); }\n");
    const auto sites = verify::find_derivative_sites(model, "main");
    REQUIRE(sites.size() == 2);
    CHECK(sites[0].function == "g<COUNT>");
    CHECK(sites[0].names == std::vector<std::string>{"N.g<8>", "g<8>"});
    CHECK(model.text(sites[0].callee) == "bwd_diff ( g<COUNT> )");
    CHECK(sites[0].problem.empty());
    CHECK(sites[1].function == "f");
    CHECK(model.text(sites[1].callee) == "__bwd_diff(f)");
    CHECK(verify::find_derivative_sites(model, "other").empty()); // no entry point
}

TEST_CASE("derivative sites: a call in a macro's arguments is not touched") {
    const ModuleModel model =
        model_of("#define RUN(x) x\n[Differentiable] float f(float x) { return x; }\n"
                 "[shader(\"compute\")] [numthreads(1,1,1)] void main() {\n"
                 "    DifferentialPair<float> p; RUN(bwd_diff(f)(p, 1.0f)); }\n");
    for (const auto& site : verify::find_derivative_sites(model, "main"))
        CHECK(site.problem == "the call is part of a macro's use");
}

TEST_CASE("derivative sites: macros that hold bwd_diff are named once each") {
    const ModuleModel model = model_of(
        "#define GRAD bwd_diff\n#define BACK(f) GRAD(f)\n#define OTHER bwd_diff\n"
        "[Differentiable] float f(float x) { return x; }\n"
        "[shader(\"compute\")] [numthreads(1,1,1)] void main() {\n"
        "    DifferentialPair<float> p; // OTHER\n    BACK(f)(p, 1.0f); BACK(f)(p, 2.0f); }\n");
    const auto sites = verify::find_derivative_sites(model, "main");
    REQUIRE(sites.size() == 1);
    CHECK(sites[0].problem == "bwd_diff in the macro BACK is not looked at");
    CHECK(model.place(sites[0].callee).line == 7);
}

TEST_CASE("derivative sites: macros that may paste bwd_diff together are named, others are not") {
    const std::string kernel = "[Differentiable] float f(float x) { return x; }\n"
                               "[shader(\"compute\")] [numthreads(1,1,1)] void main() {\n"
                               "    DifferentialPair<float> p; bwd_diff(f)(p, 1.0f); USE }\n";
    const auto sites_with = [&](const std::string& macros, const std::string& use) {
        std::string text = kernel;
        return verify::find_derivative_sites(
            model_of(macros + text.replace(text.find("USE"), 3, use)), "main");
    };
    const auto pasted = sites_with("#define BWD(q) bwd_##q\n", "BWD(diff)(f)(p, 1.0f);");
    REQUIRE(pasted.size() == 2);
    CHECK(pasted[1].problem ==
          "bwd_diff as it may be pasted together by the macro BWD is not looked at");
    CHECK(sites_with("#define CAT2(a, b) a##b\n#define CAT(a, b) CAT2(a, b)\n",
                     "CAT(bwd, _diff)(f)(p, 1.0f);")
              .size() == 2);
    CHECK(sites_with("#define CAT(a, b) a##b\n", "float CAT(u, v) = 1;").size() == 1);
    // Not used, or where nothing is compiled.
    CHECK(sites_with("#define BWD(q) bwd_##q\n", "int diff;").size() == 1);
    CHECK(sites_with("#define BWD(q) bwd_##q\n#undef BWD\n#if 0\nBWD(diff)\n#endif\n", "").size() ==
          1);
    // A macro may make whole functions.
    CHECK(sites_with("#define HELPER(n) void n() { bwd_diff(f)(p, 1); }\nHELPER(g)\n", "g();")
              .size() == 2);
}

TEST_CASE("derivative sites: comments between the words of a call") {
    const ModuleModel model = model_of(
        "[Differentiable] float f<let N : int>(float x) { return x; }\n"
        "[shader(\"compute\")] [numthreads(1,1,1)] void main() { DifferentialPair<float> p;\n"
        "    bwd_diff/* ( */(f< /* ) */ 4>) // )\n    (p, 1.0f); }\n");
    const auto sites = verify::find_derivative_sites(model, "main");
    REQUIRE(sites.size() == 1);
    CHECK(sites[0].problem.empty());
    CHECK(sites[0].function == "f< 4>");
    CHECK(sites[0].names == std::vector<std::string>{"f< 4>"});
}

TEST_CASE("derivative sites: bwd_diff of a function with a derivative written by hand") {
    const ModuleModel model = model_of(
        "[BackwardDerivative(squareBwd)] float square(float x) { return x * x; }\n"
        "void squareBwd(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }\n"
        "[Differentiable] float f(float x) { return square(x); }\n"
        "float helper(float v) { var p = diffPair(v); bwd_diff(square)(p, 1); return p.d; }\n"
        "[shader(\"compute\")] [numthreads(1,1,1)] void direct() { helper(1); }\n"
        "[shader(\"compute\")] [numthreads(1,1,1)] void generated() {\n"
        "    var p = diffPair(1.0f); bwd_diff(f)(p, 1); }\n"
        "[shader(\"compute\")] [numthreads(1,1,1)] void forward() { f(1); }\n");
    const EffectAnalysis effects(model);
    CHECK(verify::differentiates_by_hand(model, effects, "direct"));
    CHECK_FALSE(verify::differentiates_by_hand(model, effects, "generated"));
    CHECK_FALSE(verify::differentiates_by_hand(model, effects, "forward"));
}

TEST_CASE("derivative sites: custom derivatives below a function") {
    const ModuleModel model =
        model_of("[BackwardDerivative(gB)] [ForwardDerivative(gF)] float g(float x) { return x; }\n"
                 "void gB(inout DifferentialPair<float> x, float d) { }\n"
                 "DifferentialPair<float> gF(DifferentialPair<float> x) { return x; }\n"
                 "[BackwardDerivative(other)] float h(float x) { return x; }\n"
                 "void other(inout DifferentialPair<float> x, float d) { }\n"
                 "[Differentiable] float f(float x) { return g(x); }\n");
    const auto sites = verify::custom_derivative_sites(model, EffectAnalysis(model), "f");
    REQUIRE(sites.size() == 1);
    CHECK(sites[0].function == "g");
    CHECK(sites[0].names == std::vector<std::string>{"g"});
    CHECK(model.functions[sites[0].derivative].name == "gB");
    CHECK(model.text(sites[0].callee) == "gB");
}

TEST_CASE("derivative members: fields by the name of their derivative") {
    const ModuleModel model = model_of(
        "struct Ray : IDifferentiable { typealias Differential = D;\n"
        "    [DerivativeMember(D.dt)] float t; [DerivativeMember( D.dv )] float v[3]; int n; }\n"
        "struct Plain { float a; }\n");
    const verify::DerivativeMembers members = verify::derivative_members(model);
    REQUIRE(members.size() == 1);
    CHECK(members.at("Ray") == std::map<std::string, std::string>{{"dt", "t"}, {"dv", "v"}});
}
