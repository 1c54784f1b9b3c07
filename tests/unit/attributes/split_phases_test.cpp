#include "attributes/split_phases.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

const std::string head = "RWStructuredBuffer<float> outb;\n"
                         "[Differentiable] float g(float v, float x) { return v * v - x; }\n";
const std::string kernel = "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p "
                           "= diffPair(outb[0], 0.f); bwd_diff(f)(p, 1.f); outb[1] = p.d; }\n";
const std::string newton = "        float s = g(v, x) * 0.3f;\n        v -= s;\n"
                           "        if (abs(s) < 1e-6f) break;\n";

std::string function(const std::string& body, const std::string& parameters = "float x",
                     const std::string& before = "float v = 1.f;",
                     const std::string& after = "return v;") {
    return "[Differentiable]\nfloat f(" + parameters + ")\n{\n    " + before +
           "\n    [MaxIters(20)]\n    for (int i = 0; i < 20; ++i)\n    {\n" + body +
           "    }\n    " + after + "\n}\n";
}

std::vector<Finding> findings(const std::string& text) {
    ModuleText module(head + text + kernel);
    module.store("f", "float v = 1.f", 6, "FixedArray<float, 22>", 88);
    return split_phases(module.input());
}

std::string why(const std::string& text) {
    const std::vector<Finding> found = findings(text);
    REQUIRE(found.size() == 1);
    CHECK(found[0].fixes.empty());
    CHECK(found[0].severity == Severity::note);
    return found[0].why_not.empty() ? "" : found[0].why_not.front();
}

} // namespace

TEST_SUITE("attributes/split_phases") {
    TEST_CASE("a solver, and one Newton step") {
        ModuleText module(head + function(newton) + kernel);
        module.store("f", "float v = 1.f", 6, "FixedArray<float, 22>", 88);
        const std::vector<Finding> found = split_phases(module.input());
        REQUIRE(found.size() == 1);
        REQUIRE(found[0].fixes.size() == 1);
        CHECK(found[0].fixes[0].applicability == Applicability::unsafe);
        CHECK(found[0].fixes[0].condition ==
              "the loop ends at a root of g(v, x) * 0.3f, where the slope is not 0, and the "
              "derivative of that root is meant");
        CHECK(module.after(found[0].fixes[0]) ==
              head +
                  "[Differentiable]\nfloat fResidual(float x, float v)\n{\n"
                  "    return g(v, x) * 0.3f;\n}\n\n"
                  "float fSlope(float x, float v)\n{\n"
                  "    return fwd_diff(fResidual)(diffPair(x), diffPair(v, float(1))).d;\n}\n\n"
                  "float fSolve(float x)\n{\n    float v = 1.f;\n    [MaxIters(20)]\n"
                  "    for (int i = 0; i < 20; ++i)\n    {\n" +
                  newton +
                  "    }\n    return v;\n}\n\n"
                  "[Differentiable]\nfloat f(float x)\n{\n    float v = no_diff fSolve(x);\n"
                  "    v -= fResidual(x, v) / no_diff fSlope(x, v);\n    return v;\n}\n" +
                  kernel);
    }

    TEST_CASE("forms of a solver") {
        const auto condition = [](const std::string& text) {
            const std::vector<Finding> found = findings(text);
            REQUIRE(found.size() == 1);
            return found[0].fixes.empty() ? "" : found[0].fixes[0].condition;
        };
        CHECK(condition(function("        float n = v - g(v, x);\n"
                                 "        if (abs(n - v) < 1e-6f) break;\n        v = n;\n"))
                  .find("root of v - g(v, x) - v,") != std::string::npos);
        CHECK(condition(function("        if (abs(v - p) < 1e-6f) break;\n        p = v;\n"
                                 "        v = g(v, x);\n",
                                 "float x", "float v = 1.f; float p = 0.f;"))
                  .find("root of g(v, x) - v,") != std::string::npos);
    }

    TEST_CASE("what is no solver") {
        CHECK(findings(function("        v = g(v, x);\n        if (v < 1e-6f) break;\n")).empty());
        // Sums whose terms get small.
        CHECK(why(function("        float s = x / (i + 1);\n        v += s;\n"
                           "        if (abs(s) < 1e-6f) break;\n")) ==
              "its step reads 'i', which is no parameter");
        CHECK(why(function("        float s = x * 0.5f;\n        v += s;\n"
                           "        if (abs(s) < 1e-6f) break;\n")) ==
              "its step does not depend on 'v'");
        CHECK(why(function("        v -= g(v, x);\n        if (abs(x) < 1e-6f) break;\n")) ==
              "its test is not of the last step alone");
        CHECK(why(function(newton + "        w += v;\n", "float x", "float v = 1.f; float w = 0.f;",
                           "return v + w;")) == "it does not give one variable alone");
        CHECK(why(function(newton + "        if (x > 3.f) v = 1.f;\n")) ==
              "'v' is not set by one statement of its body");
    }

    TEST_CASE("functions that cannot be written in phases") {
        CHECK(why(function(newton, "float x", "if (x > 9.f) return 0.f;\n    float v = 1.f;")) ==
              "it returns");
        CHECK(why(function(newton, "float x", "float v = 1.f; v = x;")) ==
              "'v' is set outside of it, too");
        CHECK(why(function("#ifdef A\n#endif\n" + newton)) ==
              "a preprocessor line stands in its function");
        CHECK(why(function(newton + "        if (x > 3.f) return x;\n")) == "it returns");
        CHECK(why(function(newton, "inout float x")) == "its function has the inout parameter 'x'");
    }
}
