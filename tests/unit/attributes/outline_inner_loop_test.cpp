#include "attributes/outline_inner_loop.h"

#include "module_text.h"

#include <fmt/format.h>

using namespace slimgrad;

namespace {

constexpr const char* kernel =
    "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p = diffPair(outb[0], "
    "0.f); bwd_diff(f)(p, 1, 1.f); outb[1] = p.d; }\n";
const std::string buffers = "RWStructuredBuffer<float> outb;\n";

/// A nest in `f`, and the function that comes of its inner loop before it.
std::string function(const std::string& inner, const std::string& outlined = "",
                     const std::string& before = "", const std::string& behind = "") {
    return buffers + before + outlined +
           "[Differentiable]\nfloat f(float x, no_diff float h)\n{\n" +
           "    float v = x;\n    for (int i = 0; i < 4; ++i)\n    {\n        float w = v * h;\n" +
           inner + "    }\n" + behind + "    return v;\n}\n" + kernel;
}

std::vector<Finding> findings(const std::string& text,
                              const std::string& type = "FixedArray<FixedArray<float, 6>, 6>") {
    ModuleText module(text);
    module.store("f", "for (int i", 0, type, 144);
    return outline_inner_loop(module.input());
}

/// The module with the only fix.
std::string offered(const std::string& text) {
    ModuleText module(text);
    module.store("f", "for (int i", 0, "FixedArray<FixedArray<float, 6>, 6>", 144);
    const auto found = outline_inner_loop(module.input());
    if (found.size() != 1 || found[0].fixes.empty())
        return fmt::format("{} findings: {}", found.size(),
                           found.empty() || found[0].why_not.empty() ? "" : found[0].why_not[0]);
    CHECK(found[0].severity == Severity::cost);
    CHECK(found[0].fixes[0].applicability == Applicability::safe);
    return module.after(found[0].fixes[0]);
}

/// Why the only loop that is found stays; "" if it does not.
std::string why_not(const std::string& text) {
    const auto found = findings(text);
    REQUIRE(found.size() == 1);
    CHECK((found[0].severity == Severity::note) == found[0].fixes.empty());
    return found[0].why_not.empty() ? "" : found[0].why_not[0];
}

std::string why_inner(const std::string& inner, const std::string& before = "") {
    return why_not(function(inner, "", before));
}

} // namespace

TEST_SUITE("attributes/outline_inner_loop") {
    TEST_CASE("what the loop reads is passed, what it changes comes back") {
        CHECK(offered(function("        // substeps\n"
                               "        [MaxIters(4)]\n"
                               "        for (int j = 0; j < 4; ++j)\n"
                               "        {\n"
                               "            v += h * sin(v) * w; // both\n"
                               "        }\n")) ==
              function("        // substeps\n"
                       "        fInnerLoop(h, w, v);\n",
                       "[Differentiable]\n"
                       "void fInnerLoop(no_diff float h, float w, inout float v)\n"
                       "{\n"
                       "    [MaxIters(4)]\n"
                       "    for (int j = 0; j < 4; ++j)\n"
                       "    {\n"
                       "        v += h * sin(v) * w; // both\n"
                       "    }\n"
                       "}\n\n"));
    }

    TEST_CASE("what nobody uses behind is no result") {
        const std::string after = offered(function("        float s;\n"
                                                   "        s = 0.0f;\n"
                                                   "        for (int j = 0; j < 4; ++j) s += v;\n"
                                                   "        v = s;\n"));
        CHECK(after.find("void fInnerLoop(float v, inout float s)") != std::string::npos);
        // What nobody uses afterwards is passed as a value.
        const std::string own =
            offered(function("        float s = v;\n"
                             "        for (int j = 0; j < 4; ++j) { s = s * w; v += s; }\n"));
        CHECK(own.find("void fInnerLoop(float w, float s, inout float v)") != std::string::npos);
    }

    TEST_CASE("types that the text does not say come from the model") {
        const std::string after = offered(function("        var s = float2(v, w);\n"
                                                   "        let k = w * 2.0f;\n"
                                                   "        float a[2] = {v, w};\n"
                                                   "        for (int j = 0; j < 4; ++j) { s += k * "
                                                   "a[1]; }\n"
                                                   "        v += s.x;\n"));
        CHECK(after.find("void fInnerLoop(float k, float[2] a, inout float2 s)") !=
              std::string::npos);
        CHECK(why_inner("        var s = unknown(v);\n"
                        "        for (int j = 0; j < 4; ++j) { v += s.x; }\n") ==
              "the type of 's' cannot be told from the text");
    }

    TEST_CASE("a counter from outside comes back") {
        const std::string after = offered(function("        int j = 0;\n"
                                                   "        [MaxIters(4)] while (j < 4) { v += h; "
                                                   "j++; }\n"
                                                   "        v *= j;\n"));
        CHECK(after.find("void fInnerLoop(no_diff float h, inout float v, inout int j)") !=
              std::string::npos);
        CHECK(after.find("        fInnerLoop(h, v, j);\n") != std::string::npos);
    }

    TEST_CASE("globals, functions and types are seen from the new function") {
        const std::string before = "StructuredBuffer<float> gW;\nstatic const int n = 4;\n"
                                   "struct S : IDifferentiable { float a; }\n"
                                   "[Differentiable] float g(S s) { return s.a; }\n";
        const std::string after =
            offered(function("        S s = {v};\n"
                             "        [MaxIters(n)] for (int j = 0; j < n; ++j) { s.a += g(s) * "
                             "gW[j]; }\n"
                             "        v = s.a;\n",
                             "", before));
        CHECK(after.find("void fInnerLoop(inout S s)\n") != std::string::npos);
    }

    TEST_CASE("buffers are passed as they are") {
        const std::string after = offered(
            buffers +
            "[Differentiable]\nfloat f(float x, StructuredBuffer<float> w)\n{\n    for (int "
            "i = 0; i < 4; ++i)\n    {\n        float v = x;\n        for (int j = 0; j < 4; "
            "++j) x += w[j] * v;\n    }\n    return x;\n}\n" +
            kernel);
        CHECK(after.find("void fInnerLoop(StructuredBuffer<float> w, float v, inout float x)") !=
              std::string::npos);
    }

    TEST_CASE("generic functions and methods") {
        const std::string generic = offered(
            buffers +
            "[Differentiable]\nfloat g<let N : int, T : IFoo>(T s, float v)\n"
            "    where T : IDifferentiable\n{\n    for (int i = 0; i < N; ++i)\n        for (int j "
            "= 0; j < N; ++j)\n            v += s.at(v);\n    return v;\n}\n"
            "interface IFoo : IDifferentiable { [Differentiable] float at(float v); }\n"
            "[Differentiable]\nfloat f(float x, int n) { return g<4, Foo>({}, x); }\n" +
            kernel);
        CHECK(generic.find("[Differentiable]\nvoid gInnerLoop<let N : int, T : IFoo>(T s, inout "
                           "float v) where T : IDifferentiable\n{\n    for (int j = 0; j < N; "
                           "++j)\n        v += s.at(v);\n}\n\n") != std::string::npos);
        CHECK(generic.find("        gInnerLoop<N, T>(s, v);\n") != std::string::npos);
        const std::string method = offered(
            buffers +
            "struct Sim : IDifferentiable\n{\n    float k;\n    // runs\n    [Differentiable] "
            "[NoDiffThis]\n    float run(float v) {\n        for (int i = 0; i < 4; ++i)\n         "
            "  "
            " for (int j = 0; j < 4; ++j) {\n                v += k * v;\n            }\n        "
            "return v;\n    }\n}\n"
            "[Differentiable]\nfloat f(float x, int n) { Sim s; s.k = x; return s.run(x); }\n" +
            kernel);
        CHECK(method.find("    float k;\n    [NoDiffThis]\n    [Differentiable]\n    void "
                          "runInnerLoop(inout float v) {\n        for (int j = 0; j < 4; ++j) {\n  "
                          "          v += k * v;\n        }\n    }\n\n    // runs\n") !=
              std::string::npos);
        CHECK(
            why_not(buffers +
                    "struct Sim : IDifferentiable\n{\n    float k;\n    [Differentiable] "
                    "[mutating]\n    void run() {\n        for (int i = 0; i < 4; ++i)\n           "
                    " for (int j = 0; j < 4; ++j) k *= 2;\n    }\n}\n"
                    "[Differentiable]\nfloat f(float x, int n) { Sim s; s.k = x; s.run(); return "
                    "s.k; }\n" +
                    kernel) == "it writes the object that the function is called on");
    }

    TEST_CASE("names follow those of the module and are new") {
        const std::string loop = "        for (int j = 0; j < 4; ++j) v += h;\n";
        CHECK(offered(function(loop, "", "float to_float(int i) { return i; }\n"))
                  .find("void f_inner_loop(") != std::string::npos);
        CHECK(
            offered(function(loop, "", "float toFloat_(int i) { return i; }\nfloat fInnerLoop;\n"))
                .find("void fInnerLoop2(") != std::string::npos);
    }

    TEST_CASE("layout: tabs, CRLF, one line") {
        std::string text = function("        for (int j = 0; j < 4; ++j)\n            v += h;\n");
        std::string crlf;
        for (char c : text)
            crlf += c == '\n' ? "\r\n" : std::string(1, c);
        CHECK(offered(crlf).find("[Differentiable]\r\nvoid fInnerLoop(no_diff float h, inout float "
                                 "v)\r\n{\r\n    for (int j = 0; j < 4; ++j)\r\n        v += h;\r\n"
                                 "}\r\n\r\n[Differentiable]") != std::string::npos);
        CHECK(offered(function("        { for (int j = 0; j < 4; ++j) v += h; }\n"))
                  .find("        { fInnerLoop(h, v); }\n") != std::string::npos);
    }

    TEST_CASE("what is bound to its place stays") {
        const auto loop = [](const std::string& body) {
            return why_inner("        for (int j = 0; j < 4; ++j) { " + body + " }\n");
        };
        CHECK(loop("v += h;") == "");
        CHECK(loop("if (v > 1) break; v += h;") == "");
        CHECK(loop("if (v > 1) continue; v += h;") == "");
        CHECK(loop("if (v > 1) return v;") == "it returns");
        CHECK(loop("v += h; let g = (float a) => a; v = g(v);") == "it holds a lambda");
        CHECK(why_inner(
                  "        for (int j = 0; j < 4; ++j) {\n#if V\n            v += h;\n#endif\n  "
                  "      }\n") == "a macro or a preprocessor line stands in it");
    }

    TEST_CASE("macros and names whose meaning is not known stay") {
        const std::string loop = "        for (int j = 0; j < K; ++j) v += h;\n";
        CHECK(why_inner(loop, "#define K 4\n") == "");
        CHECK(why_inner(loop, "#define K int(h)\n") == "what the macro K does is not known");
        CHECK(why_inner(loop, "#define K L\n#define L int(h)\n") ==
              "what the macro K does is not known");
        CHECK(why_inner("        for (int j = 0; j < 4; ++j) { v += ADD(h); }\n",
                        "#define ADD(a) (a)\n") == "a macro or a preprocessor line stands in it");
        CHECK(
            why_inner("        const int n = 4;\n        [MaxIters(n)] for (int j = 0; j < n; ++j) "
                      "v += h;\n") == "'n' stands where it may have to be a constant");
        CHECK(why_inner(
                  "        static float s = 1;\n        for (int j = 0; j < 4; ++j) v += s;\n") ==
              "'s' is static");
    }

    TEST_CASE("what slangc would store of the call is marked, if it may be computed again") {
        const auto fixes = [](const std::string& before, const std::string& inner) {
            return findings(function("        for (int j = 0; j < 4; ++j) v += " + inner + ";\n",
                                     "", before))[0]
                .fixes;
        };
        CHECK(fixes("", "sin(v)").size() == 1);
        const auto reads = fixes("StructuredBuffer<float> gW;\n", "gW[j]");
        REQUIRE(reads.size() == 2);
        CHECK(reads[1].edits[0].text.starts_with("[PreferRecompute(SideEffectBehavior.Allow)]\n"
                                                 "[Differentiable]\nvoid fInnerLoop("));
        CHECK(reads[1].applicability == Applicability::safe);
        // What a thread of the dispatch writes must not be read again.
        CHECK(fixes("", "outb[j]").size() == 1);
    }

    TEST_CASE("loops with unequal bounds are left to nested-bounds") {
        CHECK(findings(function("        [MaxIters(9)] for (int j = 0; j < 9; ++j) v += h;\n"),
                       "FixedArray<FixedArray<float, 11>, 6>")
                  .empty());
    }

    TEST_CASE("silent where nothing is stored for two loops") {
        const std::string text = function("        for (int j = 0; j < 4; ++j) v += h;\n");
        CHECK(findings(text).size() == 1);
        CHECK(findings(text, "FixedArray<float, 6>").empty());
        CHECK(findings(function("        [ForceUnroll] for (int j = 0; j < 4; ++j) v += h;\n"))
                  .empty());
        CHECK(findings(function("        v += h;\n")).empty());
    }

    TEST_CASE("functions that are not differentiated, or have a derivative of their own") {
        const std::string nest =
            "float g(float v) { for (int i = 0; i < 4; ++i) for (int j = 0; j < "
            "4; ++j) v += v; return v; }\n";
        const std::string f =
            "[Differentiable] float f(float v, int n) { return v * detach(g(v)); }\n";
        CHECK(findings(buffers + nest + f + kernel).empty());
        CHECK(
            findings(buffers + "[BackwardDerivative(g_bwd)] " + nest +
                     "void g_bwd(inout DifferentialPair<float> p, float d) { p = diffPair(p.p, d); "
                     "}\n[Differentiable] float f(float v, int n) { return g(v); }\n" +
                     kernel)
                .empty());
    }
}
