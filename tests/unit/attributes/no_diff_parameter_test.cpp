#include "attributes/no_diff_parameter.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

const std::string buffers =
    "RWStructuredBuffer<float> outb; RWStructuredBuffer<float> gWG; StructuredBuffer<float> gW;\n";
const std::string run = "[Differentiable] float run(float a, float x) { return x * a; }\n";
const std::string pairs = "var a = diffPair(outb[0], 0.f); var x = diffPair(outb[1], 0.f); ";
const std::string back = "bwd_diff(run)(a, x, 1.f); outb[2] = x.d; ";

std::string kernel(const std::string& body) {
    return "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { " + body + "}\n";
}

std::vector<Finding> findings(const ModuleText& module) {
    return no_diff_parameter(module.input());
}

ModuleText stored(const std::string& text) {
    ModuleText module(buffers + text);
    module.store("run", "run", 0, "FixedArray<float, 34>", 136);
    return module;
}

/// What the fix makes of the text; "" where there is none.
std::string fixed(const std::string& text) {
    const ModuleText module = stored(text);
    for (const Finding& finding : findings(module))
        if (!finding.fixes.empty())
            return module.after(finding.fixes.front()).substr(buffers.size());
    return "";
}

std::string why_not(const std::string& text) {
    const ModuleText module = stored(text);
    for (const Finding& finding : findings(module))
        if (!finding.why_not.empty()) {
            CHECK(finding.severity == Severity::note);
            CHECK(finding.fixes.empty());
            return finding.why_not.front();
        }
    return "";
}

} // namespace

TEST_SUITE("attributes/no_diff_parameter") {
    TEST_CASE("a gradient that the kernel does not read") {
        const std::string head =
            "[Differentiable] float run(no_diff float a, float x) { return x * a; }\n";
        const std::string call = "bwd_diff(run)(a.p, x, 1.f); outb[2] = x.d; ";
        CHECK(fixed(run + kernel(pairs + back)) == head + kernel(pairs + call));
        CHECK(fixed(run + kernel(pairs + back + "outb[3] = a.p;")) ==
              head + kernel(pairs + call + "outb[3] = a.p;"));
        const ModuleText module = stored(run + kernel(pairs + back));
        const std::vector<Finding> found = findings(module);
        REQUIRE(found.size() == 1);
        CHECK(found[0].message == "nobody uses the gradient of 'a' that 'run' gives; 136 B are "
                                  "stored for its backward pass");
        CHECK(found[0].fixes.front().applicability == Applicability::safe);
        CHECK(fixed("[Differentiable] float run(in float a, float x) { return x * a; }\n" +
                    kernel(pairs + back))
                  .starts_with("[Differentiable] float run(no_diff in float a, float x)"));
        CHECK(fixed(run + kernel(pairs + back + "outb[4] = run(outb[5], 1.f);")) != "");
    }

    TEST_CASE("nothing is stored, or nothing is differentiated") {
        CHECK(findings(ModuleText(buffers + run + kernel(pairs + back))).empty());
        CHECK(findings(stored(run + kernel("outb[0] = run(1.f, 2.f);"))).empty());
    }

    TEST_CASE("a gradient that somebody reads, or may") {
        const std::string both = pairs + back;
        for (const std::string use :
             {"outb[3] = a.d;", "var b = a; outb[3] = b.d;", "keep(a);", "outb[3] = a.d * 2.f;",
              "bwd_diff(other)(a, 1.f);", "a.d += 1.f;"})
            CHECK_MESSAGE(fixed("void keep(DifferentialPair<float> a) { outb[7] = a.d; }\n"
                                "[Differentiable] void other(inout float a) { a *= a; }\n" +
                                run + kernel(both + use)) == "",
                          use);
        CHECK(fixed("#define READ outb[3] = a.d\n" + run + kernel(both + "READ;")) == "");
        CHECK(fixed("groupshared DifferentialPair<float> a;\n" + run +
                    kernel("var x = diffPair(outb[1], 0.f); " + back)) == "");
        CHECK(fixed(run + kernel(both + "fwd_diff(run)(a, x);")) == "");
        // A second kernel does.
        CHECK(fixed(run + kernel(both) +
                    "[shader(\"compute\")] void second(uint3 t : SV_DispatchThreadID) { " + both +
                    "outb[3] = a.d; }\n") == "");
    }

    TEST_CASE("callers that are differentiated themselves") {
        const std::string outer =
            kernel("var x = diffPair(outb[1], 0.f); bwd_diff(f)(x, 1.f); outb[2] = x.d;");
        const auto with = [&](const std::string& body) {
            return fixed(run + "[Differentiable] float f(float x) { " + body + " }\n" + outer);
        };
        CHECK(with("return run(2.f, x);") != "");
        CHECK(with("return run(detach(x), x);") != "");
        CHECK(with("return run(x, x);") == "");
        // A macro may differentiate `other`.
        CHECK(fixed(run + "[Differentiable] float other(float x) { return run(x, 1.f); }\n" +
                    kernel(pairs + back)) == "");
        CHECK(with("float y = 3.f * x; return run(y, x);") == "");
        const std::string load = "[BackwardDerivative(ld_bwd)] float ld(uint i) { return gW[i]; }\n"
                                 "void ld_bwd(uint i, float d) { gWG[i] += d; }\n";
        CHECK(fixed(load + run + "[Differentiable] float f(float x) { return run(ld(3), x); }\n" +
                    outer) == "");
    }

    TEST_CASE("parameters and functions that stay as they are") {
        const std::string both = kernel(pairs + back);
        CHECK(fixed("[Differentiable] float run(int a, float x) { return x * a; }\n" +
                    kernel("var x = diffPair(outb[1], 0.f); bwd_diff(run)(3, x, 1.f); outb[2] = "
                           "x.d;")) == "");
        CHECK(fixed("[Differentiable] float run(inout float a, float x) { return x * a; }\n" +
                    both) == "");
        CHECK(fixed("[BackwardDerivative(b)] float run(float a, float x) { return x * a; }\n"
                    "void b(inout DifferentialPair<float> a, inout DifferentialPair<float> x, "
                    "float d) {}\n" +
                    both) == "");
        CHECK(why_not("public " + run + both) == "shaders that are not looked at may call it");
        CHECK(why_not("#define CALL(v) run(v, v)\n" + run + both) ==
              "it is named where slimgrad sees no call of it");
        const std::string method =
            "interface I { [Differentiable] float run(float a, float x); }\n"
            "struct S : I { [Differentiable] float run(float a, float x) { return x * a; } }\n";
        CHECK(fixed(method + kernel("S s; " + pairs +
                                    "bwd_diff(s.run)(a, x, 1.f); outb[2] = "
                                    "x.d;")) == "");
    }

    TEST_CASE("a header has other users") {
        ModuleText module(ModuleText::Files{
            {"/p/a.slang", buffers + "#include \"h.slang\"\n" + kernel(pairs + back)},
            {"/p/h.slang", run}});
        module.store("run", "outb", 0, "FixedArray<float, 34>", 136);
        const std::vector<Finding> found = findings(module);
        REQUIRE(found.size() == 1);
        CHECK(found[0].fixes.empty());
    }
}
