#include "rewriter/variable_flow.h"

#include "rewriter/core_derivatives.h"
#include "rewriter/derivative_cuts.h"
#include "rewriter/flow_text.h"

#include "plugin/slang/compiler.h"
#include "temporary_folder.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

void check_cuts(const std::string& path, std::size_t least, bool all_carry,
                verify::Machine machine = verify::Machine::cpp) {
    const CutsOfFile result = cut_derivatives(SLIMGRAD_SOURCE_DIR + ("/" + path), machine);
    CAPTURE(path);
    CHECK(result.problem == "");
    CHECK(result.kernels > 0);
    CHECK(result.cuts.size() >= least);
    for (const DerivativeCut& cut : result.cuts) {
        CAPTURE(cut.line);
        CAPTURE(cut.column);
        CAPTURE(cut.text);
        CAPTURE(cut.reason);
        if (cut.model == DerivativeUse::does_not)
            CHECK_FALSE(cut.changed);
        if (cut.model == DerivativeUse::carries && all_carry)
            CHECK(cut.changed);
    }
}

} // namespace

TEST_CASE("read_flow: why a use carries no derivative") {
    const std::string head = "[Differentiable] ";
    CHECK(answer(head + "float f(float x) { return x; }", "x") == "carries");
    CHECK(answer("float f(float x) { return x; }", "x") == "'f' is not differentiable");
    CHECK(answer(head + "float f(float x) { if (x > 1) return 2; return 3; }", "x") == "condition");
    CHECK(answer(head + "float f(float x) { while (exp(x) > 2) ; return 3; }", "x") == "condition");
    CHECK(answer(head + "float f(float a[4], int i) { return a[i]; }", "i") == "integer");
    CHECK(answer(head + "float f(float a[4], float x) { return a[int(x)]; }", "x") != "carries");
    CHECK(answer(head + "float f(no_diff float x) { return x; }", "x") == "no_diff");
    CHECK(answer(head + "float f(float x) { return detach(x * 2); }", "x") == "detach");
    CHECK(answer(head + "int f(float x) { return (int)x; }", "x") == "integer");
    CHECK(answer(head + "int f(float x) { int y = x; return y; }", "x") == "integer");
    CHECK(answer("float g(float x) { return x; }\n" + head +
                     "float f(float x) { return no_diff(g(x)); }",
                 "x") == "callee 'g' is not differentiable");
    CHECK(answer("float g(float x) { return x; }\n" + head +
                     "float f(float x) { if (x == 0 ? true : false) return 1; return g(2); }",
                 "x") == "condition");
    CHECK(answer("[Differentiable] float g(float x) { return x; }\n" + head +
                     "float f(float x) { return no_diff(g(x)); }",
                 "x") == "carries");
    for (const char* type :
         {"float2", "float[2]", "vector<float, 2>", "float3x3", "Array<float, 2>"})
        CHECK(answer(fmt::format("{}float f({} x) {{ return no_diff (x[0]); }}", head, type),
                     "x") == "no_diff");
    CHECK(answer("struct S : IDifferentiable { float a; __subscript(int i) -> float "
                 "{ [Differentiable] get { return a; } } };\n" +
                     head + "float f(S x) { return no_diff x[0]; }",
                 "x") != "no_diff");
    CHECK(answer("[Differentiable] float g(no_diff float x) { return x; }\n" + head +
                     "float f(float x) { return g(x); }",
                 "x") == "no_diff");
    CHECK(answer("StructuredBuffer<float> gB;\n" + head + "float f(float x) { return gB[0] * x; }",
                 "gB") == "memory");
    CHECK(answer("struct S { float a; };\n" + head + "float f(S s) { return s.a; }", "s") ==
          "type 'S' has no derivative");
    CHECK(answer("[BackwardDerivative(b)] float f(float x) { return x; }", "x") ==
          "unknown: 'f' has a derivative of its own");
    CHECK(answer(head + "float f(float x) { return something(x); }", "x").starts_with("unknown"));
    CHECK(answer(head + "float f(Strange x) { return x.a; }", "x").starts_with("unknown"));
}

TEST_CASE("read_flow: values that have no derivative give none to later uses") {
    const std::string head = R"(
struct Rng { uint state; [mutating] float draw() { state += 1; return float(state); }
    [Differentiable] float own(float x) { return x; } }
[Differentiable] float g(float x) { return x * x; }
[BackwardDerivative(hBwd)] float h(float x) { return x; }
void hBwd(inout DifferentialPair<float> x, float d) { }
void put(inout float x) { x = 1; }
DiffTensorView<float> gT;
[Differentiable] float f(float x, no_diff inout Rng r, no_diff float n, bool b)
{
)";
    const auto later = [&](const std::string& statements) {
        return answer(head + statements + " return v * x; }", "v", true);
    };
    CHECK(later("float v = no_diff r.draw();") == "set without derivative at 11:7");
    CHECK(later("float v = 2;") == "set without derivative at 11:7");
    CHECK(later("float v = detach(x) * n + g(n);") == "set without derivative at 11:7");
    CHECK(later("let w = no_diff r.draw(); float v = 0.5f + 0.5f * w;").starts_with("set without"));
    CHECK(later("float v; if (b) v = 1; else v = n;") == "set without derivative at 11:17");
    CHECK(later("float v = 1; if (b) v = x;") == "carries");
    CHECK(later("float v = 1; for (int i = 0; i < 3; i++) v *= x;") == "carries");
    CHECK(later("float v = 1; put(v);") == "carries");
    CHECK(later("float v = 1; float* p = &v; *p = x;") == "carries");
    CHECK(later("float v = g(x);") == "carries");
    CHECK(later("float v = no_diff g(x);") == "carries");
    CHECK(later("float v = gT[0];") == "carries");
    CHECK(later("float v = h(1);") == "carries");
    CHECK(later("float v = r.own(1);") == "carries");
    CHECK(later("float v = strange(1);") == "carries");
    CHECK(later("float v = 1; v = v + x * 0;") == "carries");
    CHECK(later("float v;") == "carries");
}

TEST_CASE("read_flow: a use that does not carry may be cut, one that carries may not") {
    check_cuts("tests/inputs/derivative_uses/statements.slang", 100, true);
    check_cuts("tests/inputs/derivative_uses/types.slang", 60, true);
    check_cuts("tests/inputs/derivative_uses/tensors.slang", 80, true, verify::Machine::cuda);
}

TEST_CASE("read_flow: what is read through a tensor adds to its gradients, whatever holds it") {
    const std::string head = "struct L { DiffTensorView<float> w; no_diff DiffTensorView n; "
                             "float k; };\n[Differentiable] ";
    const auto tensor = [&](const std::string& parameters, const std::string& value) {
        return answer(fmt::format("{}float f({}, float x, uint i) {{ return {} * x; }}", head,
                                  parameters, value),
                      parameters.substr(parameters.rfind(' ') + 1));
    };
    CHECK(tensor("DiffTensorView<float> t", "t[i]") == "carries: added to t's gradient");
    CHECK(tensor("DiffTensorView t", "t[i, 2]") == "carries: added to t's gradient");
    CHECK(tensor("no_diff DiffTensorView t", "(no_diff t[i])") == "carries: added to t's gradient");
    CHECK(tensor("DiffTensorView t", "t.load(i)") == "carries: added to t's gradient");
    CHECK(tensor("DiffTensorView t", "t.loadOnce(i)") == "carries: added to t's gradient");
    CHECK(tensor("DiffTensorView t", "t.primal[i]") == "memory");
    CHECK(tensor("DiffTensorView t", "t.size(0)") == "integer");
    CHECK(tensor("DiffTensorView t", "detach(t[i])") == "detach");
    CHECK(tensor("DiffTensorView t", "float(int(t[i]))") == "integer");
    CHECK(tensor("TensorView<float> t", "t[i]") == "memory");
    CHECK(tensor("L l", "l.w[i]") == "carries: added to l.w's gradient");
    CHECK(tensor("L l", "l.n[i]") == "carries: added to l.n's gradient");
    CHECK(tensor("L l", "l.k") == "type 'L' has no derivative");
    CHECK(tensor("L l", "g(l)").starts_with("unknown"));
    CHECK(answer("float f(DiffTensorView t) { return t[0]; }", "t") == "'f' is not differentiable");
    // What is written gets its derivative from there, though nothing is returned.
    CHECK(answer("[Differentiable] void f(DiffTensorView t, float x) { t[0] = x; }", "x") ==
          "carries");
    CHECK(answer("[Differentiable] void f(DiffTensorView t, float x) { t.store(0, x); }", "x") ==
          "carries");
    CHECK(answer("[Differentiable] void g(DiffTensorView t, float y) { t[0] = y; }\n"
                 "[Differentiable] void f(DiffTensorView t, float x) { g(t, x); }",
                 "x") == "unknown: 'g' may take a derivative from elsewhere");
    CHECK(answer("interface I { [Differentiable] void put(float v); }\n"
                 "struct T : I { DiffTensorView t; [Differentiable] void put(float v) "
                 "{ t[0] = v; } }\n"
                 "[Differentiable] void f<A : I>(A a, float x) { a.put(x); }",
                 "x") == "unknown: 'put' may take a derivative from elsewhere");
}

TEST_CASE("read_flow: no use in the corpus that does not carry changes a gradient") {
    for (const char* name : {"ode", "gaussian_splat", "path_bounce", "lens_fit", "tonemap"})
        check_cuts(fmt::format("corpus/{}.slang", name), 10, false);
}

TEST_CASE("core functions: the compiler agrees which of them have a derivative") {
    // A function that loses a derivative is an error, E41022, of all that a file holds.
    std::vector<std::string> lines;
    std::vector<std::string_view> names;
    std::vector<DerivativeUse> expected;
    for (const DerivativeUse use : {DerivativeUse::carries, DerivativeUse::does_not}) {
        for (std::string_view name : core_functions(use)) {
            for (const char* type : {"float", "float3", "float3x3"}) {
                for (const char* arguments : {"x", "x, y", "x, y, z"}) {
                    for (const char* result : {type, "float"}) {
                        lines.push_back(
                            fmt::format("[Differentiable] {2} f{3}({1} x, {1} y, {1} z) "
                                        "{{ {2} r = {0}({4}); return r; }}",
                                        name, type, result, lines.size(), arguments));
                        names.push_back(name);
                        expected.push_back(use);
                    }
                }
            }
        }
    }
    SlangCompiler compiler({SLIMGRAD_BUILD_DIR "/slimgrad-slang", {}});
    const TemporaryFolder folder;
    CompileRequest request;
    request.project_root = folder.path().string();
    request.checkpoint_report = false;
    request.reflection = false;
    const auto errors = [&](const std::vector<std::string>& text) {
        request.file = folder.write(
            "core.slang",
            fmt::format("{}\n[shader(\"compute\")] [numthreads(1, 1, 1)] void k() {{}}\n",
                        fmt::join(text, "\n")));
        const auto result = compiler.compile(request);
        REQUIRE_MESSAGE(result, result.error().message);
        std::vector<bool> wrong(text.size(), false);
        for (const Diagnostic& diagnostic : result->diagnostics) {
            if (diagnostic.severity == DiagnosticSeverity::error &&
                diagnostic.place.line <= text.size() && diagnostic.place.line > 0)
                wrong[diagnostic.place.line - 1] = true;
        }
        return wrong;
    };
    // What does not fit the function's parameters is an error before any derivative is looked at.
    const std::vector<bool> misfits = errors(lines);
    std::vector<std::string> fitting;
    std::vector<std::size_t> index;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!misfits[i]) {
            fitting.push_back(lines[i]);
            index.push_back(i);
        }
    }
    const std::vector<bool> lost = errors(fitting);
    REQUIRE(fitting.size() > 150);
    std::map<std::string_view, int> kept, tried;
    for (std::size_t i = 0; i < fitting.size(); ++i) {
        tried[names[index[i]]] += 1;
        kept[names[index[i]]] += !lost[i];
        CAPTURE(fitting[i]);
        if (expected[index[i]] == DerivativeUse::does_not)
            CHECK(lost[i]);
    }
    for (std::string_view name : core_functions(DerivativeUse::carries)) {
        CAPTURE(name);
        CHECK((tried[name] == 0 || kept[name] > 0));
    }
}

TEST_CASE("read_flow: what a getter of the module gives is a call's value") {
    const auto with = [](const std::string& getter, const std::string& body, const char* name,
                         bool last = false) {
        return answer("struct S : IDifferentiable { float a; float3 v;\n" + getter +
                          "\nproperty int n { get { return 3; } }\n"
                          "static void b(inout DifferentialPair<S> s, inout "
                          "DifferentialPair<float> x, float d) {} };\n"
                          "[Differentiable] float f(S s, float x, int i) { " +
                          body + " }",
                      name, last);
    };
    const std::string element =
        "__subscript(float x) -> float { [Differentiable] get { return a * x; } }";
    CHECK(with(element, "return s[x];", "s") == "carries");
    CHECK(with(element, "return s[x];", "x") == "carries");
    CHECK(with(element, "return s[i];", "i") == "integer");
    CHECK(with(element, "return (float)(int) s[x];", "s") == "integer");
    CHECK(with(element, "return s[x] > 0 ? x : 1;", "s") == "condition");
    const std::string property =
        "property float3 p { [Differentiable] get { return v; } set { v = newValue; } }";
    CHECK(with(property, "return s.p.x;", "s") == "carries");
    CHECK(with(property, "return s.p[i];", "s") == "carries");
    CHECK(with(property, "return s.n * x;", "s") == "callee 'get' is not differentiable");
    CHECK(with("__subscript(float x) -> float { get { return a * x; } }", "return s[x];", "s") ==
          "callee 'get' is not differentiable");
    // A derivative of its own is run whatever becomes of the value.
    const std::string own =
        "__subscript(float x) -> float { [BackwardDerivative(b)] get { return a * x; } }";
    CHECK(with(own, "return (float)(int) s[x];", "s") ==
          "unknown: 'get' may take a derivative from elsewhere");
    CHECK(with(own, "return (float)(int) s[x];", "x") ==
          "unknown: 'get' may take a derivative from elsewhere");
    CHECK(answer("struct S : IDifferentiable { float a; "
                 "__subscript(int i) -> float { [Differentiable] get { return a; } } };\n"
                 "[Differentiable] float f(no_diff DiffTensorView<S> w) { return w[0][1]; }",
                 "w") == "carries: added to w's gradient");
    // What is written goes through a setter.
    CHECK(with(property, "s.p = x; return 0;", "x") ==
          "unknown: what 's.p' gives access to is not known");
}

TEST_CASE("read_flow: types by other names") {
    const std::string v = "typedef float2 vec2; typealias V = vec2; typedef float arr[4];\n";
    CHECK(answer(v + "[Differentiable] float f(vec2 p) { return p.x; }", "p") == "carries");
    CHECK(answer(v + "[Differentiable] V f(V p) { V q = p * 2; return q; }", "q") == "carries");
    CHECK(answer(v + "[Differentiable] float f(arr a, int i) { return a[i]; }", "a") == "carries");
    CHECK(answer("typedef int Count; [Differentiable] float f(Count n) { return n; }", "n") ==
          "integer");
    CHECK(answer(v + "struct S { vec2 v; no_diff vec2 w; } [Differentiable] float f(S s) { return "
                     "s.v.x; }",
                 "s") == "type 'S' has no derivative");
    CHECK(answer(v + "[Differentiable] float g(vec2 p) { return p.x; } [Differentiable] float "
                     "f(float x) { return g(vec2(x, x)); }",
                 "x") == "carries");
    // Which one is meant is not certain.
    for (const char* text :
         {"namespace A { typealias T = int; } namespace B { typealias T = float; }\n",
          "typealias T = float; struct Box<T> { T v; }\n",
          "typealias T = float; void g() { typealias T = int; }\n",
          "interface I { associatedtype T; } struct A : I { typealias T = float; }\n"}) {
        CAPTURE(std::string(text));
        CHECK(answer(text + std::string("[Differentiable] float f(T x) { return x; }"), "x")
                  .starts_with("unknown"));
    }
}

TEST_CASE("read_flow: types in types, `This`, tuples, and fields of a generic parameter's type") {
    const std::string types =
        "struct Outer<T : IDifferentiable> : IDifferentiable { no_diff float a; T held;\n"
        "struct Inner : IDifferentiable { float a; T held; }; Inner i; }\n"
        "struct Box<T> : IDifferentiable { T held; float own; [Differentiable] float m(This b) { "
        "This c = b; return c.own; } }\n"
        "interface I { [Differentiable] float n(This d); }\n";
    const auto of = [&](const std::string& parameter, const std::string& value,
                        const std::string& name) {
        return answer(types + "[Differentiable] float f<T : IFloat>(" + parameter +
                          ", float x) { return " + value + " * x; }",
                      name);
    };
    CHECK(of("Outer<float>.Inner q", "q.a", "q") == "carries");
    CHECK(of("Outer<float> q", "q.a", "q") == "no_diff");
    CHECK(of("Outer<float> q", "q.i.a", "q") == "carries");
    CHECK(of("Outer<float> q", "q.held", "q") == "carries");
    CHECK(of("Box<int> q", "q.held", "q") == "integer");
    CHECK(of("Box<float> q", "q.held", "q") == "carries");
    // `T` of Outer is not the function's.
    CHECK(of("Outer<int>.Inner q", "q.held", "q") == "integer");
    CHECK(of("Tuple<float, float> q", "q._1", "q") == "carries");
    CHECK(of("Tuple<float, int> q", "q._0", "q").starts_with("unknown"));
    const auto method = [&](const std::string& body, const std::string& name) {
        return answer(
            "struct S<T : IFloat> : IDifferentiable { T v; float a; [Differentiable] float "
            "f(This b, T y, float x) { " +
                body + " } }",
            name, true);
    };
    CHECK(method("This c = b; return c.a * x;", "c") == "carries");
    CHECK(method("return b.a * x;", "b") == "carries");
    CHECK(method("return this.a * x;", "a") == "carries");
    CHECK(method("return v.toFloat() * x;", "v").starts_with("unknown: whether 'toFloat'"));
    CHECK(method("return y.toFloat() * x;", "y").starts_with("unknown: whether 'toFloat'"));
    CHECK(answer("__generic<T> struct Old : IDifferentiable { T v; }\n[Differentiable] float "
                 "f(Old<float> o) { return o.v; }",
                 "o") == "carries");
    CHECK(answer("struct Out<let A : int> { struct In : IDifferentiable { float v[A]; "
                 "[Differentiable] float f(float x) { return v[0] * x; } }; int k; }",
                 "v") == "carries");
    CHECK(
        answer("interface I { [Differentiable] float f(This b, float x) { return b.a * x; } }", "b")
            .starts_with("unknown"));
    CHECK(answer("[Differentiable] float f(float x) { let t = makeTuple(x, 2.0); return t._0; }",
                 "t") == "carries");
}
