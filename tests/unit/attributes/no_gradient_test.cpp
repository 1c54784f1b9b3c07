#include "attributes/no_gradient.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

const std::string kernel = "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p "
                           "= diffPair(outb[0], 0.f); bwd_diff(f)(p, 1.f); outb[1] = p.d; }\n";
const std::string buffers =
    "RWStructuredBuffer<float> outb; RWStructuredBuffer<float> gWG; StructuredBuffer<float> gW;\n";

/// Of `bwd_diff(f)`.
std::string message(const std::string& f) {
    const ModuleText module(buffers + f + "\n" + kernel);
    const std::vector<Finding> found = no_gradient(module.input());
    REQUIRE(found.size() <= 1);
    if (found.empty())
        return "";
    CHECK(found[0].severity == Severity::error);
    CHECK(found[0].fixes.empty());
    return found[0].message;
}

std::string of_kernel(const std::string& text) {
    const ModuleText module(text);
    const std::vector<Finding> found = no_gradient(module.input());
    REQUIRE(found.size() <= 1);
    return found.empty() ? "" : found[0].message;
}

const std::string cuda = "[AutoPyBindCUDA] [CUDAKernel] [Differentiable] ";
const std::string load = "[BackwardDerivative(ld_bwd)] float ld(uint i) { return gW[i]; }\n"
                         "void ld_bwd(uint i, float d) { gWG[i] += d; }\n";

} // namespace

TEST_SUITE("attributes/no_gradient") {
    TEST_CASE("kernels of tensors without gradients") {
        const std::string body = "{ uint i = cudaThreadIdx().x; float v = a[i]; b[i] = v * v; }";
        CHECK(of_kernel(cuda + "void k(TensorView<float> a, TensorView<float> b) " + body) ==
              "no gradient flows through 'k': its parameter 'a' is a TensorView, which has none; "
              "DiffTensorView has");
        CHECK(of_kernel(cuda + "void k(DiffTensorView<float> a, TensorView<float> b) " + body) ==
              "no gradient flows through 'k': its parameter 'b' is a TensorView, which has none; "
              "DiffTensorView has");
        CHECK(of_kernel(cuda + "void k(TensorView<float> a, DiffTensorView<float> b) " + body) !=
              "");
    }

    TEST_CASE("kernels that have a way") {
        const std::string body = "{ uint i = cudaThreadIdx().x; float v = a[i]; b[i] = v * v; }";
        CHECK(of_kernel(cuda + "void k(DiffTensorView<float> a, DiffTensorView<float> b) " +
                        body) == "");
        CHECK(of_kernel("struct Two { DiffTensorView<float> a; DiffTensorView<float> b; }\n" +
                        cuda + "void k(Two t) { t.b[0] = t.a[0] * 2.f; }") == "");
        CHECK(of_kernel("[CUDAKernel] void k(TensorView<float> a) { a[0] = 1.f; }") == "");
        // The idiom of slangtorch before it had DiffTensorView.
        CHECK(of_kernel("[BackwardDerivative(get_bwd)] float get(TensorView<float> t, "
                        "TensorView<float> d, uint i) { return t[i]; }\n"
                        "void get_bwd(TensorView<float> t, TensorView<float> d, uint i, float g) { "
                        "d[i] = g; }\n"
                        "[BackwardDerivative(put_bwd)] void put(TensorView<float> t, "
                        "TensorView<float> d, uint i, float v) { t[i] = v; }\n"
                        "void put_bwd(TensorView<float> t, TensorView<float> d, uint i, inout "
                        "DifferentialPair<float> v) { v = diffPair(v.p, d[i]); }\n" +
                        cuda +
                        "void k(TensorView<float> a, TensorView<float> da, TensorView<float> b, "
                        "TensorView<float> db) { put(b, db, 0, get(a, da, 0) * 2.f); }") == "");
    }

    TEST_CASE("ways of a function that end") {
        CHECK(message("[Differentiable] float f(float x) { return detach(x) * 2.f; }") ==
              "no gradient flows through 'f': 'x' is used without its derivative at a.slang:2:51 "
              "(detach)");
        CHECK(message("[Differentiable] float f(float x) { float y = x * x; return detach(y); }") !=
              "");
        CHECK(message("float g(float x) { return x; }\n[Differentiable] float f(float x) { return "
                      "no_diff g(x); }") != "");
        CHECK(message("[Differentiable] float f(no_diff float x) { return x; }") ==
              "no gradient flows through 'f': 'x' is used without its derivative at a.slang:2:52 "
              "(no_diff)");
        CHECK(message("[Differentiable] float f(float x) { return 1.f; }") ==
              "no gradient flows through 'f': nothing that it is given has a derivative");
        CHECK(
            message("[Differentiable] float f(float x) { if (x > 0.f) return 1.f; return 2.f; }") !=
            "");
        CHECK(message("[Differentiable] float sq(float y) { return y * y; }\n"
                      "[Differentiable] float f(float x) { return sq(detach(x)); }") != "");
    }

    TEST_CASE("ways that go on, or may") {
        CHECK(message("[Differentiable] float f(float x) { return detach(x) * x; }") == "");
        CHECK(message("[Differentiable] float f(float x) { float y = x; y *= 2.f; return y; }") ==
              "");
        CHECK(message("[Differentiable] float f(float x) { float y; y = x; for (int i = 0; i < 3; "
                      "i++) { float n = y; y = n * n; } return y; }") == "");
        CHECK(message(load + "[Differentiable] float f(float x) { return ld(uint(detach(x))); }") ==
              "");
        CHECK(message(load + "[Differentiable] float g(float x) { return ld(3) * detach(x); }\n"
                             "[Differentiable] float f(no_diff float x) { return g(x); }") == "");
        CHECK(message("[Differentiable] void g(float x, out float y) { y = x; }\n[Differentiable] "
                      "float f(float x) { float y; g(x, y); return y; }") == "");
        CHECK(message("#define PUT(a, b) a = b\n[Differentiable] float f(float x) { float y; "
                      "PUT(y, x); return y; }") == "");
        CHECK(message("[BackwardDerivative(b)] float f(float x) { return detach(x); }\n"
                      "void b(inout DifferentialPair<float> x, float d) {}") == "");
        CHECK(message("struct S { float v; float get() { return v; } }\n"
                      "[Differentiable] T f<T : IDifferentiable>(T x) { return x; }") == "");
    }

    TEST_CASE("nobody asks, or one of several is asked") {
        CHECK(of_kernel("[Differentiable] float f(float x) { return detach(x); }") == "");
        CHECK(of_kernel("interface I { [Differentiable] float eval(float x); }\n"
                        "struct A : I { [Differentiable] float eval(float x) { return 1.f; } }\n"
                        "float use<T : I>(T t) { var p = diffPair(1.f, 0.f); "
                        "bwd_diff(t.eval)(p, 1.f); return p.d; }") == "");
        CHECK(of_kernel("[Differentiable] [shader(\"compute\")] void main(uint3 t : "
                        "SV_DispatchThreadID) {}") == "");
    }

    TEST_CASE("what running showed is said once") {
        const ModuleText module(buffers + "[Differentiable] float f(float x) { return x; }\n" +
                                kernel);
        RuleInput input = module.input();
        GradientFact fact;
        fact.kind = GradientFact::Kind::no_gradient;
        fact.function = "f";
        fact.reference = 1.5;
        fact.mismatching = 31;
        fact.samples = 32;
        input.gradient_facts = {fact};
        const std::vector<Finding> found = no_gradient(input);
        REQUIRE(found.size() == 1);
        CHECK(found[0].message == "no gradient flows through 'f': bwd_diff gives 0, central "
                                  "differences 1.5 on 31 of 32 inputs");
        CHECK(found[0].place == Place{"/p/a.slang", 0, 0});
        input.gradient_facts[0].subject = "w";
        CHECK(no_gradient(input).empty());
    }
}
