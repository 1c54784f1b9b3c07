#include "attributes/differentiated_functions.h"

#include "module_text.h"

#include <fmt/format.h>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

/// "f g": the functions that run with a derivative.
std::string differentiated(const std::string& text) {
    const ModuleText module(text);
    const FlowAnalysis analysis(module.model);
    std::vector<FunctionFlow> flows;
    for (Index i = 0; i < module.model.functions.size(); ++i)
        flows.push_back(analysis.of_function(i));
    const MemoryTracer tracer(module.model);
    const auto found = find_differentiated(
        module.model, tracer, [&](Index i) -> const FunctionFlow& { return flows[i]; });
    std::vector<std::string> names;
    for (Index i = 0; i < found.size(); ++i)
        if (found[i])
            names.push_back(module.model.functions[i].qualified_name);
    return fmt::format("{}", fmt::join(names, " "));
}

/// With `f` taken by bwd_diff.
std::string from_f(const std::string& before, const std::string& body) {
    return differentiated(before + "\n[Differentiable] float f(float x) { " + body +
                          " }\nvoid main() { var p = diffPair(1.f); bwd_diff(f)(p, 1.f); }\n");
}

} // namespace

TEST_SUITE("attributes/differentiated_functions") {
    TEST_CASE("what bwd_diff and fwd_diff take, and what a derivative goes through there") {
        const std::string g = "[Differentiable] float g(float x) { return x; }\n"
                              "[Differentiable] float h(float x) { return g(x); }\n"
                              "[Differentiable] float unused(float x) { return x; }\n"
                              "float plain(float x) { return x; }";
        CHECK(from_f(g, "return h(x);") == "g h f");
        CHECK(from_f(g, "return x;") == "f");
        CHECK(differentiated("[ForwardDifferentiable] float f(float x) { return x; }\n"
                             "void main() { let d = fwd_diff(f)(diffPair(1.f, 1.f)); }") == "f");
        CHECK(from_f(g, "return h(detach(x)) + 1;") == "g h f"); // its derivative is 0, but it runs
        CHECK(from_f(g, "return no_diff g(x);") == "g f");       // it is not cut
        CHECK(from_f(g, "return no_diff plain(x);") == "f");
        CHECK(from_f(g, "return x * detach(g(x));") == "f");
        CHECK(from_f(g, "return g(x) > 1 ? x : 2;") == "f");
        CHECK(from_f(g, "int i = int(g(x)); return x * i;") == "f");
        CHECK(from_f(g, "float y; y = x; y += g(y); return y;") == "g f");
    }

    TEST_CASE("what macros call, or may call") {
        const std::string g = "#define CALL(f, x) f(x)\n#define TWICE(x) (g(x) + h(x))\n"
                              "#define SET(s) s = g(s);\n#define g(x) g((x) + 1)\n#undef g\n"
                              "[Differentiable] float g(float x) { return x; }\n"
                              "[Differentiable] float h(float x) { return x; }\n"
                              "float plain(float x) { return x; }";
        CHECK(from_f(g, "return CALL(h, x);") == "h f");
        CHECK(from_f(g, "return TWICE(x);") == "g h f");
        CHECK(from_f(g, "float s = x; SET(s) return s;") == "g f");
        CHECK(from_f(g, "return g(x) + no_diff CALL(plain, x);") == "g f");
    }

    TEST_CASE("kernels, methods, operators, interfaces, out parameters") {
        CHECK(differentiated("[CUDAKernel] [Differentiable] void k(DiffTensorView<float> a) "
                             "{ a[0] = step(a[1]); }\n[Differentiable] float step(float x) "
                             "{ return x; }\nfloat other(float x) { return x; }") == "k step");
        CHECK(from_f("struct R { uint s; [mutating] float get() { s += 1; return s; } "
                     "[Differentiable] float at(float t) { return t; } }",
                     "R r; return r.at(x) * no_diff r.get();") == "R.at f");
        CHECK(from_f("struct V : IDifferentiable { float a; }\n[Differentiable] V operator+(V a, V "
                     "b) { return a; }",
                     "V v = { x }; return (v + v).a;") == "operator+ f");
        CHECK(from_f("interface I { [Differentiable] float m(float x); }\nstruct A : I { "
                     "[Differentiable] float m(float x) { return x; } }\n[Differentiable] float "
                     "g<T : I>(T t, float x) { return t.m(x); }",
                     "A a; return g(a, x);") == "I.m A.m g f");
        CHECK(from_f("[Differentiable] void g(float x, out float y) { y = x; }",
                     "float y; g(x, y); return y;") == "g f");
    }

    TEST_CASE("derivatives of the module's own stand for what the body calls") {
        CHECK(from_f("[Differentiable] float inner(float x) { return x; }\n"
                     "[BackwardDerivative(gBwd)] float g(float x) { return inner(x); }\n"
                     "void gBwd(inout DifferentialPair<float> x, float d) { }",
                     "return g(x);") == "g f");
        CHECK(from_f("float g(float x) { return floor(x); }\n[BackwardDerivativeOf(g)] void "
                     "gBwd(inout DifferentialPair<float> x, float d) { }",
                     "return g(x);") == "g f");
    }
}
