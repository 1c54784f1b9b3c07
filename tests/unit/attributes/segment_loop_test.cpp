#include "attributes/segment_loop.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

constexpr const char* kernel =
    "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p = diffPair(outb[0], "
    "0.f); bwd_diff(f)(p, 0.1f, int(outb[2]), 1.f); outb[1] = p.d; }\n";
const std::string head = "RWStructuredBuffer<float> outb;\n[Differentiable] float step(float v) { "
                         "return sin(v) * v; }\n";

/// A differentiated function with this body, between `float v = x;` and `return v;`.
std::string function(const std::string& body, const std::string& before = "") {
    return head + before +
           "// runs it\n[Differentiable]\nfloat f(float x, no_diff float h, int n)\n{\n    float v "
           "= "
           "x;\n" +
           body + "    return v;\n}\n" + kernel;
}

/// The module after the only fix, or why there is none.
std::string offered(const std::string& text, bool searching = false, std::size_t fixes = 1) {
    ModuleText module(text);
    module.store("f", "float v = x", 6, "FixedArray<float, 66>", 264);
    RuleInput input = module.input();
    input.searching = searching;
    const auto found = segment_loop(input);
    if (found.empty())
        return "silent";
    REQUIRE(found.size() == 1);
    CHECK((found[0].severity == Severity::note) == found[0].fixes.empty());
    if (found[0].fixes.empty())
        return found[0].why_not.at(0);
    CHECK(found[0].fixes.size() == fixes);
    return module.after(found[0].fixes[0]);
}

} // namespace

TEST_SUITE("attributes/segment_loop") {
    TEST_CASE("a number of trips is cut where none is left over") {
        CHECK(
            offered(
                function("    [MaxIters(64)]\n    for (int i = 0; i < 64; i++)\n        v += h * "
                         "step(v); // Euler\n")) ==
            function("    [MaxIters(8)]\n    for (int first = 0; first < 64; first += 8)\n        "
                     "fSegment(first, h, v); // Euler\n",
                     "[Differentiable]\n"
                     "void fSegment(int first, no_diff float h, inout float v)\n"
                     "{\n"
                     "    [MaxIters(8)]\n"
                     "    for (int trip = 0; trip < 8; trip++)\n"
                     "        v += h * step(v);\n"
                     "}\n\n"));
        // 50 are 5 calls of 10 trips, or 10 of 5.
        const std::string fifty =
            offered(function("    for (int i = 0; i < 50; i++) v = step(v);\n"));
        CHECK(fifty.find("for (int first = 0; first < 50; first += 5)") != fifty.npos);
    }

    TEST_CASE("the rest of the trips is tested for") {
        CHECK(
            offered(
                function("    for (int i = 0; i < 37; i++)\n    {\n        // half\n        v = "
                         "step(v) * i;\n        continue;\n    }\n")) ==
            function("    [MaxIters(6)]\n    for (int first = 0; first < 37; first += 7)\n        "
                     "fSegment(first, v);\n",
                     "[Differentiable]\n"
                     "void fSegment(int first, inout float v)\n"
                     "{\n"
                     "    [MaxIters(7)]\n"
                     "    for (int trip = 0; trip < 7; trip++)\n"
                     "    {\n"
                     "        int i = first + trip;\n"
                     "        if (i < 37)\n"
                     "        {\n"
                     "            // half\n"
                     "            v = step(v) * i;\n"
                     "            continue;\n"
                     "        }\n"
                     "    }\n"
                     "}\n\n"));
        const std::string named = offered(function("    for (int i = 0; i < N; i++) v = step(v);\n",
                                                   "static const int N = 64;\n"));
        CHECK(named.find("if (N % 8 == 0 || i < N)\n") != named.npos);
        CHECK(named.find("[MaxIters((N + 7) / 8)]\n") != named.npos);
        const std::string by_input =
            offered(function("    [MaxIters(40)] for (int i = 0; i < n; i++) v = step(v);\n"));
        CHECK(by_input.find("void fSegment(int first, int n, inout float v)\n") != by_input.npos);
        CHECK(by_input.find("        if (i < n)\n") != by_input.npos);
        CHECK(by_input.find("fSegment(first, n, v);\n") != by_input.npos);
    }

    TEST_CASE("a generic number of trips is passed on") {
        const std::string text = offered(
            head +
            "[Differentiable]\nfloat g<let N : int>(float x)\n{\n    float v = x;\n    "
            "[MaxIters(N)] "
            "for (int i = 0; i < N; i++) v = step(v);\n    return v;\n}\n[Differentiable]\nfloat "
            "f(float x, float h, int n) { return g<64>(x); }\n" +
            kernel);
        CHECK(text.find("void gSegment<let N : int>(int first, inout float v)\n") != text.npos);
        CHECK(text.find("if (N % 8 == 0 || i < N)\n") != text.npos);
        CHECK(text.find("gSegment<N>(first, v);\n") != text.npos);
    }

    TEST_CASE("what is bound to its place stays") {
        const auto loop = [](const std::string& body) {
            return offered(function("    for (int i = 0; i < 64; i++) { " + body + " }\n"));
        };
        CHECK(loop("v = step(v); if (v > 1) return v;") == "silent");
        CHECK(loop("struct S { float a; }; v = step(v);") == "'f' declares a type");
        CHECK(loop("v = step(v); [MaxIters(64)] for (int j = 0; j < 64; j++) v += h;") == "silent");
        CHECK(loop("v = step(v); [ForceUnroll] for (int j = 0; j < 4; j++) v += h;")
                  .find("fSegment(first, h, v);") != std::string::npos);
    }

    TEST_CASE("silent where the loop is short, or nothing is stored for its trips") {
        CHECK(offered(function("    for (int i = 0; i < 31; i++) v = step(v);\n")) == "silent");
        CHECK(offered(function("    for (int i = 0; i < 32; i++) v = step(v);\n")) != "silent");
        ModuleText module(function("    for (int i = 0; i < 64; i++) v += step(h);\n"));
        CHECK(segment_loop(module.input()).empty());
        module.store("f", "float v = x", 6, "float", 4);
        CHECK(segment_loop(module.input()).empty());
    }

    TEST_CASE("a search is offered shorter and longer segments, too") {
        offered(function("    for (int i = 0; i < 64; i++) v = step(v);\n"), true, 3);
    }

    TEST_CASE("what slangc would store of the calls is marked, if it may be computed again") {
        const std::string text = function("    for (int i = 0; i < 64; i++) v = step(v) * gW[i];\n",
                                          "StructuredBuffer<float> gW;\n");
        ModuleText module(text);
        module.store("f", "float v = x", 6, "FixedArray<float, 66>", 264);
        const auto found = segment_loop(module.input());
        REQUIRE(found.size() == 1);
        REQUIRE(found[0].fixes.size() == 2);
        CHECK(module.after(found[0].fixes[1])
                  .find("[PreferRecompute(SideEffectBehavior.Allow)]\n[Differentiable]\nvoid "
                        "fSegment(") != std::string::npos);
    }
}
