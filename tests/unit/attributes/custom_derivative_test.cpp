#include "attributes/custom_derivative.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

const std::string buffers =
    "RWStructuredBuffer<float> outb; RWStructuredBuffer<float> gWG; StructuredBuffer<float> gW;\n";
const std::string kernel = "[Differentiable] float f(float x) { return g(x) * 2.f; }\n"
                           "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p "
                           "= diffPair(outb[0], 0.f); bwd_diff(f)(p, 1.f); outb[1] = p.d; }\n";
const std::string backward =
    "void b(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }\n";

std::vector<Finding> findings(const ModuleText& module) {
    return custom_derivative(module.input());
}

/// What the one fix makes of the text.
std::string fixed(const std::string& text) {
    const ModuleText module(buffers + text + kernel);
    const std::vector<Finding> found = findings(module);
    REQUIRE(found.size() <= 1);
    if (found.empty() || found[0].fixes.empty())
        return "";
    CHECK(found[0].severity == Severity::note);
    CHECK(found[0].fixes.front().applicability == Applicability::unsafe);
    const std::string after = module.after(found[0].fixes.front());
    return after.substr(buffers.size(), after.size() - buffers.size() - kernel.size());
}

} // namespace

TEST_SUITE("attributes/custom_derivative") {
    TEST_CASE("slangc's own derivative is tried") {
        CHECK(fixed("[BackwardDerivative(b)]\nfloat g(float x) { return x; }\n" + backward) ==
              "[Differentiable]\nfloat g(float x) { return x; }\n" + backward);
        CHECK(fixed("[Differentiable]\n[BackwardDerivative(b)]\nfloat g(float x) { return x; }\n" +
                    backward) == "[Differentiable]\nfloat g(float x) { return x; }\n" + backward);
        CHECK(fixed("float g(float x) { return x; }\n[BackwardDerivativeOf(g)]\n" + backward) ==
              "[Differentiable]\nfloat g(float x) { return x; }\n" + backward);
    }

    TEST_CASE("derivatives of what is in memory") {
        CHECK(fixed("[BackwardDerivative(b)] float g(float x) { return x * gW[0]; }\n" +
                    backward) == "");
        CHECK(fixed("[BackwardDerivative(b)] float g(float x) { return x; }\n"
                    "void b(inout DifferentialPair<float> x, float d) { gWG[0] += d; }\n") == "");
    }

    TEST_CASE("several derivatives, an attribute that is not alone, nobody who differentiates") {
        CHECK(fixed("[BackwardDerivative(b)] [ForwardDerivative(c)] float g(float x) { return x; "
                    "}\nDifferentialPair<float> c(DifferentialPair<float> x) { return x; }\n" +
                    backward) == "");
        CHECK(fixed("[BackwardDerivative(b), Differentiable] float g(float x) { return x; }\n" +
                    backward) == "");
        const ModuleText module("[BackwardDerivative(b)] float g(float x) { return x; }\n" +
                                backward);
        CHECK(findings(module).empty());
    }

    TEST_CASE("a solver gets a signature as advice") {
        const std::string solver =
            "[Differentiable] float g(float x) { return x; }\n"
            "[Differentiable] float f(float x, no_diff float k, int n)\n{\n    float v = 1.f;\n"
            "    [MaxIters(20)]\n    for (int i = 0; i < 20; ++i)\n    {\n"
            "        float s = v * v - x * k;\n        v -= s;\n        if (abs(s) < 1e-6f) "
            "break;\n"
            "    }\n    return v;\n}\n"
            "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p = "
            "diffPair(outb[0], 0.f); bwd_diff(f)(p, 2.f, 3, 1.f); outb[1] = p.d; }\n";
        ModuleText module(buffers + solver);
        CHECK(findings(module).empty());
        module.store("f", "float v = 1.f", 6, "FixedArray<float, 22>", 88);
        const std::vector<Finding> found = findings(module);
        REQUIRE(found.size() == 1);
        CHECK(found[0].fixes.empty());
        CHECK(found[0].why_not.front().ends_with(
            "void fBackward(inout DifferentialPair<float> x, float k, int n, float.Differential "
            "result)"));
    }
}
