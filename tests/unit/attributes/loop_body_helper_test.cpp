#include "attributes/loop_body_helper.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

const std::string head = "RWStructuredBuffer<float> outb;\nStructuredBuffer<float> gW;\n"
                         "[Differentiable] float g(float v) { return sin(v) * v; }\n";
constexpr const char* kernel =
    "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p = diffPair(outb[0], "
    "0.f); bwd_diff(f)(p, 0.1f, 1.f); outb[1] = p.d; }\n";

/// A loop with this body, which sets v, s and t.
std::string function(const std::string& body, const std::string& before = "") {
    return head + before +
           "[Differentiable]\nfloat f(float x, no_diff float h)\n{\n    float v = x, s = 0, t = "
           "1;\n"
           "    for (int i = 0; i < 4; ++i)\n    {\n" +
           body + "    }\n    return v + s * t;\n}\n" + kernel;
}

std::vector<Finding> findings(const ModuleText& module, bool searching = false) {
    RuleInput input = module.input();
    input.searching = searching;
    return loop_body_helper(input);
}

/// The module after the only fix where the read of gW is stored, or why there is none.
std::string offered(const std::string& text) {
    ModuleText module(text);
    module.store("f", "gW[i", 2, "FixedArray<float, 6>", 24);
    const auto found = findings(module);
    if (found.empty())
        return "silent";
    REQUIRE(found.size() == 1);
    CHECK((found[0].severity == Severity::note) == found[0].fixes.empty());
    if (found[0].fixes.empty())
        return found[0].why_not.at(0);
    CHECK(found[0].fixes[0].applicability == Applicability::safe);
    return module.after(found[0].fixes[0]);
}

const std::string mark = "[PreferRecompute(SideEffectBehavior.Allow)]\n[Differentiable]\n";

} // namespace

TEST_SUITE("attributes/loop_body_helper") {
    TEST_CASE("what is added to a sum is moved with what leads to it") {
        CHECK(offered(function("        // weight\n"
                               "        float w = gW[i] * x; // read\n"
                               "        float q = w * w;\n"
                               "        s += h * q; // sum\n")) ==
              function("        // weight\n"
                       "        s += fBody(x, h, i); // sum\n",
                       mark + "float fBody(float x, no_diff float h, int i)\n"
                              "{\n"
                              "    float w = gW[i] * x; // read\n"
                              "    float q = w * w;\n"
                              "    return h * q;\n"
                              "}\n\n"));
        CHECK(offered(function("        s -= gW[i] * x\n            * x;\n")) ==
              function("        s -= fBody(x, i);\n",
                       mark + "float fBody(float x, int i)\n{\n    return gW[i] * x\n        * x;\n"
                              "}\n\n"));
    }

    TEST_CASE("one value that is used behind is the result") {
        CHECK(offered(function("        float w = gW[i] * x;\n"
                               "        var q = w * w;\n"
                               "        t = t * q;\n"
                               "        s += t;\n")) ==
              function("        float q = fBody(x, i);\n"
                       "        t = t * q;\n"
                       "        s += t;\n",
                       mark + "float fBody(float x, int i)\n"
                              "{\n"
                              "    float w = gW[i] * x;\n"
                              "    var q = w * w;\n"
                              "    return q;\n"
                              "}\n\n"));
    }

    TEST_CASE("several are set by it") {
        CHECK(offered(function("        float w = gW[i] * x;\n"
                               "        float q;\n"
                               "        if (w > 1) q = w; else q = x;\n"
                               "        t = t * q + w;\n")) ==
              function("        float w;\n"
                       "        float q;\n"
                       "        fBody(x, i, w, q);\n"
                       "        t = t * q + w;\n",
                       mark + "void fBody(float x, int i, out float w, out float q)\n"
                              "{\n"
                              "    w = gW[i] * x;\n"
                              "    if (w > 1) q = w; else q = x;\n"
                              "}\n\n"));
        CHECK(offered(function("        float w = gW[i] * x, q = w;\n        t = t * q + w;\n")) ==
              "'w' is declared with others, or in parts");
    }

    TEST_CASE("a carried value is passed, and set in the loop") {
        const std::string text = offered(function("        t = t * 0.5f;\n"
                                                  "        float w = gW[i] * t;\n"
                                                  "        s += w * w;\n"
                                                  "        v = g(v);\n"));
        CHECK(text.find("float fBody(float t, int i)\n") != text.npos);
        CHECK(text.find("        t = t * 0.5f;\n        s += fBody(t, i);\n        v = g(v);\n") !=
              text.npos);
    }

    TEST_CASE("statements that are bound to the loop stay in it") {
        CHECK(
            offered(function("        if (x > i) continue;\n        float w = gW[i];\n        s += "
                             "w * x;\n"))
                .find("        if (x > i) continue;\n        s += fBody(x, i);\n") !=
            std::string::npos);
        CHECK(offered(function("        t = t * gW[i];\n")) == "silent");
        CHECK(offered(function("        if (gW[i] > x) break;\n        t += x;\n")) == "silent");
    }

    TEST_CASE("what a thread may write is not read again") {
        const std::string body = "        float w = gW[i];\n        s += w * x;\n";
        ModuleText module(function("        float w = outb[i];\n        s += w * x;\n"));
        module.store("f", "outb[i", 4, "FixedArray<float, 6>", 24);
        const auto found = findings(module);
        CHECK(found.empty());
        CHECK(offered(function(body)) != "silent");
    }

    TEST_CASE("silent where nothing that is read is stored, in unrolled loops and around loops") {
        const std::string body = "        float w = gW[i];\n        s += w * x;\n";
        CHECK(findings(ModuleText(function(body))).empty());
        ModuleText carried(function(body));
        carried.store("f", "float v = x", 6, "FixedArray<float, 6>", 24);
        CHECK(findings(carried).empty());
        std::string unrolled = function(body);
        unrolled.insert(unrolled.find("for (int i"), "[ForceUnroll] ");
        CHECK(offered(unrolled) == "silent");
        CHECK(offered(
                  function("        for (int j = 0; j < 4; ++j) s += x;\n        s += gW[i];\n")) ==
              "silent");
    }

    TEST_CASE(
        "calls of the module's functions are marked by prefer-recompute; a search tries both") {
        ModuleText module(function("        s += g(x * i) * x;\n"));
        module.store("f", "g(x * i)", 1, "FixedArray<float, 6>", 24);
        CHECK(findings(module).empty());
        CHECK(findings(module, true).size() == 1);
    }
}
