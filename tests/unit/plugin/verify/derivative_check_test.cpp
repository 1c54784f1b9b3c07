#include "derivative_check_kernels.h"

using namespace slimgrad;
using namespace slimgrad::derivative_cases;

TEST_CASE("derivative check: a right kernel passes both steps") {
    const DifferentiatedCall call = check_one(
        kernel_of("[Differentiable] float f(float x, float y) { return sin(x) * y + x * x; }"));
    require_right(call);
    CHECK(call.function == "f");
    CHECK(call.place.line == 12);
    CHECK(call.place.column == 1);
    CHECK(call.samples == 12);
    CHECK(call.dot_product.detail == "12 inputs");
    CHECK(call.differences.detail == "12 of 12 inputs agree (36 calls, in double)");
}

TEST_CASE("derivative check: types of arguments and results are taken apart") {
    SUBCASE("vectors, matrices and arrays") {
        require_right(check_one(kernel(
            "[Differentiable] float f(float3 a, float2x3 m, float w[3]) {\n"
            "    return dot(mul(m, a), float2(w[0], w[1])) * w[2]; }",
            "float2x3 m = float2x3(1, 2, 3, 4, 5, gIn[b]); float w[3] = {gIn[b + 2], 2, 3};\n"
            "float z[3] = {0, 0, 0};\n"
            "var a = diffPair(float3(gIn[b], 1, gIn[b + 1]), float3(0));\n"
            "var pm = diffPair(m, float2x3(0)); var pw = diffPair(w, z);\n"
            "bwd_diff(f)(a, pm, pw, 1.0f); gGrad[b + 2] = a.d.x; gGrad[b + 3] = pw.d[1];")));
    }
    SUBCASE("structures: nested, with members that are not differentiated, as results") {
        require_right(check_one(kernel(
            "enum Kind { Plain, Square }\n"
            "namespace Scene {\n"
            "struct Inner : IDifferentiable { float k[2]; int n; no_diff float scale; }\n"
            "struct Outer : IDifferentiable { float3 v; Inner inner; bool flip; Kind kind; }\n"
            "[Differentiable] Outer f(Outer o, uint64_t seed) {\n"
            "    Outer r = o; r.v = o.v * o.inner.k[1] * (o.flip ? 2.0f : o.inner.scale);\n"
            "    r.inner.k[0] = o.kind == Kind.Square ? r.v.x * r.v.y : float(o.inner.n);\n"
            "    return r; } }",
            "Scene.Outer o; o.v = float3(gIn[b], gIn[b + 1], 1); o.inner.k[1] = gIn[b + 2];\n"
            "o.inner.k[0] = 1; o.inner.n = 2; o.inner.scale = 3; o.flip = tid.x == 1;\n"
            "o.kind = Kind.Square; var p = diffPair(o, {});\n"
            "Scene.Outer.Differential u = {}; u.v = float3(1, 2, 3); u.inner.k[0] = 2;\n"
            "bwd_diff(Scene.f)(p, uint64_t(7), u); gGrad[b + 2] = p.d.v.x; gGrad[b + 3] = "
            "p.d.inner.k[1];")));
    }
    SUBCASE("a Differential of one's own") {
        require_right(check_one(
            kernel("struct Ray : IDifferentiable { typealias Differential = RayGradient;\n"
                   "    [DerivativeMember(RayGradient.dt)] float t; no_diff float u; }\n"
                   "struct RayGradient : IDifferentiable { typealias Differential = RayGradient; "
                   "float dt; }\n"
                   "[Differentiable] float f(Ray r) { return r.t * r.t * r.u; }",
                   "Ray r; r.t = x.p; r.u = y.p; var p = diffPair(r, {}); bwd_diff(f)(p, 1.0f);\n"
                   "gGrad[b + 2] = p.d.dt;")));
    }
    SUBCASE("out and inout parameters") {
        require_right(check_one(kernel("[Differentiable] void f(float x, inout float s, out float "
                                       "t, out int n, inout int k) {\n"
                                       "    t = s * sin(x); s = s * x + t; n = 1; k += 1; }",
                                       "int k = 2; bwd_diff(f)(x, y, gIn[b + 2], k);")));
    }
    SUBCASE("double and half") {
        require_right(check_one(kernel(
            "[Differentiable] half f(half x, double y) { return half(y * sin(double(x))); }",
            "var h = diffPair(half(x.p), half(0)); var d = diffPair(double(y.p), double(0));\n"
            "bwd_diff(f)(h, d, half(1)); gGrad[b + 2] = float(h.d); gGrad[b + 3] = float(d.d);")));
    }
}

TEST_CASE("derivative check: generic functions, overloads, names of builtin functions") {
    require_right(check_one(
        kernel("[Differentiable] float f<let N : int>(float x) { float s = x;\n"
               "    [ForceUnroll] for (int i = 0; i < N; ++i) s = sin(s) * x; return s; }",
               "bwd_diff(f<3>)(x, 1.0f);")));
    require_right(check_one(kernel("[Differentiable] float f(float x) { return x; }\n"
                                   "[Differentiable] float f(float x, float y) { return x * y; }",
                                   "bwd_diff(f)(x, y, 1.0f);")));
    require_right(
        check_one(kernel("[Differentiable] float step(float x, int n) { return x * x * float(n); }",
                         "bwd_diff(step)(x, 3, 1.0f);")));
}

TEST_CASE("derivative check: calls in loops, branches and helpers") {
    const std::vector<DifferentiatedCall> calls =
        check(kernel("[Differentiable] float f(float x) { return x * x * x; }\n"
                     "float helper(float v) { var p = diffPair(v, 0.0f); bwd_diff(f)(p, 2.0f); "
                     "return p.d; }",
                     "for (int i = 0; i < 100; ++i) { if (i % 2 == 0) bwd_diff(f)(x, float(i)); }\n"
                     "gGrad[b + 3] = helper(y.p);\nif (tid.x > 1000) bwd_diff(f)(x, 1.0f);"),
              "gradMain");
    REQUIRE(calls.size() == 3);
    require_right(calls[0]);
    require_right(calls[1]);
    CHECK(calls[1].differences.detail.find("64 of up to 150 calls of each input") !=
          std::string::npos);
    CHECK(calls[2].differences.state == StepState::not_applicable);
    CHECK(calls[2].differences.detail ==
          "gradMain did not call it with the inputs that were drawn");
}

TEST_CASE("derivative check: a wrong custom backward derivative fails differences") {
    const std::string wrong =
        "[BackwardDerivative(squareBackward)]\nfloat square(float x) { return x * x; }\n"
        "void squareBackward(inout DifferentialPair<float> x, float d) {\n"
        "    x = diffPair(x.p, 3.0f * x.p * d); }\n"
        "[Differentiable] float f(float x, float y) { return square(x) * y; }";
    const DifferentiatedCall call = check_one(kernel_of(wrong));
    require_wrong(call);
    CHECK(call.dot_product.state == StepState::not_applicable);
    CHECK(call.dot_product.detail == "square has a backward derivative only");
    REQUIRE(call.custom_derivatives.size() == 1);
    CHECK(call.cuts.empty());

    const DifferentiatedCall right = check_one(kernel_of(edited(wrong, "3.0f", "2.0f")));
    CHECK(right.differences.state == StepState::passed);
    CHECK(right.dot_product.state == StepState::not_applicable);
}

TEST_CASE("derivative check: a custom forward derivative that disagrees fails the dot product") {
    const DifferentiatedCall call = check_one(
        kernel_of("[ForwardDerivative(squareForward)] [BackwardDerivative(squareBackward)]\n"
                  "float square(float x) { return x * x; }\n"
                  "DifferentialPair<float> squareForward(DifferentialPair<float> x) {\n"
                  "    return diffPair(x.p * x.p, 3.0f * x.p * x.d); }\n"
                  "void squareBackward(inout DifferentialPair<float> x, float d) {\n"
                  "    x = diffPair(x.p, 2.0f * x.p * d); }\n"
                  "[Differentiable] float f(float x, float y) { return square(x) * y; }"));
    CHECK(call.dot_product.state == StepState::failed);
    CHECK(call.differences.state == StepState::passed);
}

TEST_CASE("derivative check: a kernel that leaves its array of stored values is not replayed") {
    const std::vector<DifferentiatedCall> wrong =
        check(file("tests/inputs/cases/case-46.slang"), "computeMain", {}, {"-DV=0"});
    REQUIRE(wrong.size() == 1);
    CHECK(wrong[0].differences.state == StepState::not_applicable);
    CHECK(wrong[0].differences.detail == "computeMain leaves an array");
    const std::vector<DifferentiatedCall> right =
        check(file("tests/inputs/cases/case-46.slang"), "computeMain", {}, {"-DV=1"});
    REQUIRE(right.size() == 1);
    require_right(right[0]);
}

TEST_CASE("derivative check: the dot product does not see a detach, differences name it") {
    const std::vector<DifferentiatedCall> calls =
        check(file("tests/inputs/cases/case-40.slang"), "computeMain", {}, {"-DV=1"});
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].dot_product.state == StepState::passed);
    require_wrong(calls[0]);
    REQUIRE(calls[0].cuts.size() == 1);
    CHECK(calls[0].cuts[0].line == 13);
}

TEST_CASE("derivative check: kinks are not accused") {
    require_right(check_one(kernel_of(
        "[Differentiable] float f(float x, float y) {\n"
        "    return abs(x) * max(y, 0.0f) + (no_diff floor(4.0f * x)) * y + min(x, y); }")));
}

TEST_CASE("derivative check: a chaotic function is not accused") {
    const DifferentiatedCall call = check_one(
        kernel_of("[Differentiable] float f(float x, float y) { float s = x;\n"
                  "    [MaxIters(64)] for (int i = 0; i < 64; ++i) s = 20.0f * sin(7.0f * s) + y;\n"
                  "    return s; }"));
    CAPTURE(call.differences.detail);
    CHECK(call.differences.state == StepState::not_applicable);
}

TEST_CASE("derivative check: a large gradient hides no small one") {
    VerifyOptions options;
    options.samples = 12;
    require_wrong(check_one(
        kernel_of("[BackwardDerivative(back)] float g(float x, float y) {\n"
                  "    return 1000000.0f * x + sin(y); }\n"
                  "void back(inout DifferentialPair<float> x, inout DifferentialPair<float> y,\n"
                  "          float d) { x = diffPair(x.p, 1000000.0f * d);\n"
                  "    y = diffPair(y.p, -3.0f * cos(y.p) * d); }\n"
                  "[Differentiable] float f(float x, float y) { return g(x, y); }"),
        options));
}

TEST_CASE("derivative check: of many calls some from all over the run") {
    const DifferentiatedCall call =
        check_one(kernel("[BackwardDerivative(back)] float g(float x, int i) { return x * x; }\n"
                         "void back(inout DifferentialPair<float> x, int i, float d) {\n"
                         "    x = diffPair(x.p, 2.0f * x.p * d * (i >= 500 ? 5.0f : 1.0f)); }\n"
                         "[Differentiable] float f(float x, no_diff int i) { return g(x, i); }",
                         "for (int i = 0; i < 1000; ++i) bwd_diff(f)(x, i, 1.0f);"));
    require_wrong(call);
    const DifferentiatedCall right =
        check_one(kernel("[Differentiable] float f(float x) { return x * x; }",
                         "for (int i = 0; i < 1000; ++i) bwd_diff(f)(x, 1.0f);"));
    CHECK(right.differences.detail.find("64 of up to 3000 calls of each input") !=
          std::string::npos);
}

TEST_CASE("derivative check: what cannot be checked says why") {
    const auto reason = [](const std::string& source) {
        const DifferentiatedCall call = check_one(source);
        CHECK(call.differences.state == StepState::not_applicable);
        CHECK(call.dot_product.state == StepState::not_applicable);
        return call.differences.detail;
    };
    CHECK(reason(kernel("[Differentiable] float f(float x) { gWG[0] = 1; return x * x; }",
                        "bwd_diff(f)(x, 1.0f);")) == "f writes gWG");
    CHECK(reason(kernel("static float k = 1.0f;\n"
                        "[Differentiable] float f(float x) { return x * x * k; }",
                        "k = gIn[b + 2]; bwd_diff(f)(x, 1.0f);"))
              .starts_with("f reads the static variable k"));
    CHECK(reason(kernel("#define GRAD bwd_diff\n"
                        "[Differentiable] float f(float x) { return x * x; }",
                        "GRAD(f)(x, 1.0f);")) == "bwd_diff in the macro GRAD is not looked at");
    CHECK(reason(kernel("interface IScene { [Differentiable] float at(float x); }\n"
                        "struct Flat : IScene { float k; [Differentiable] float at(float x) "
                        "{ return k * x; } }\n"
                        "[Differentiable] float f(IScene scene, float x) { return scene.at(x); }",
                        "Flat flat = {gW[0]}; bwd_diff(f)(flat, x, 1.0f);"))
              .starts_with("f's parameter scene is a"));
}

TEST_CASE("derivative check: the text for CUDA is replayed, too") {
    const std::vector<DifferentiatedCall> calls =
        check(kernel_of("[Differentiable] float f(float x, float y) { return sin(x) * y; }"),
              "gradMain", {}, {}, verify::Machine::cuda);
    REQUIRE(calls.size() == 1);
    require_right(calls[0]);
}

TEST_CASE(
    "derivative check: bwd_diff of a custom derivative's own function is compared in double") {
    const std::string square =
        "[BackwardDerivative(fBackward)] float f(float x, float y) { return x * x * y; }\n"
        "void fBackward(inout DifferentialPair<float> x, inout DifferentialPair<float> y, float d) "
        "{\n"
        "    x = diffPair(x.p, 2.0f * x.p * y.p * d); y = diffPair(y.p, x.p * x.p * d); }\n";
    const DifferentiatedCall right = check_one(kernel_of(square));
    CHECK(right.differences.state == StepState::passed);
    CHECK(right.differences.detail == "12 of 12 inputs agree (36 calls, in double)");
    require_wrong(check_one(kernel_of(edited(square, "2.0f", "1.5f"))));
}

TEST_CASE("derivative check: a custom derivative that calls bwd_diff itself") {
    const std::string root =
        "[Differentiable] float residual(float p, float r) { return p * p * p - r; }\n"
        "float newton(float r) { float p = 1.5f; for (int i = 0; i < 20; i++)\n"
        "    p -= (p * p * p - r) / (3 * p * p); return p; }\n"
        "[BackwardDerivative(rootBackward)] float root(float r) { return newton(r); }\n"
        "void rootBackward(inout DifferentialPair<float> r, float g) {\n"
        "    float p = newton(r.p); var dp = diffPair(p, 0.0f); var dr = diffPair(r.p, 0.0f);\n"
        "    bwd_diff(residual)(dp, dr, 1.0f); r = diffPair(r.p, -g * dr.d / dp.d); }\n"
        "[Differentiable] float f(float x, float y) { return sin(root(x * x + 0.5f)) * y; }";
    const std::vector<DifferentiatedCall> right = check(kernel_of(root), "gradMain");
    REQUIRE(right.size() == 2);
    require_right(right[0]); // of the residual
    CAPTURE(right[1].differences.detail);
    CHECK(right[1].differences.state == StepState::passed);

    const std::vector<DifferentiatedCall> wrong =
        check(kernel_of(edited(root, "-g * dr.d / dp.d", "-g * dr.d")), "gradMain");
    REQUIRE(wrong.size() == 2);
    require_right(wrong[0]);
    require_wrong(wrong[1]);
}

TEST_CASE("derivative check: methods take their object first") {
    const std::string material =
        "struct Material : IDifferentiable { float a; float r;\n"
        "    [Differentiable] float eval(float c) { return a * exp(-c * c / (r * r + 1)); }\n"
        "    [NoDiffThis] [Differentiable] float fixed(float c) { return a * c * c; } }\n";
    require_right(check_one(kernel(
        material,
        "Material m = { x.p, y.p }; var p = diffPair(m, {}); var c = diffPair(gIn[b + 2], 0.0f);\n"
        "bwd_diff(Material::eval)(p, c, 1.0f); gGrad[b + 2] = p.d.r + c.d;")));
    const DifferentiatedCall fixed =
        check_one(kernel(material, "Material m = { x.p, y.p }; var p = diffPair(m, {}); "
                                   "bwd_diff(Material.fixed)(p, x, 1.0f);"));
    CHECK(fixed.differences.detail ==
          "Material.fixed is [NoDiffThis]: bwd_diff takes a pair for the "
          "object all the same");
}

TEST_CASE("derivative check: generic functions whose arguments the call shows") {
    const std::string functions =
        "interface IShape : IDifferentiable { [Differentiable] float at(float x); }\n"
        "struct Ball : IShape { float r; [Differentiable] float at(float x) { return r * x * x; } "
        "}\n"
        "[Differentiable] float f<S : IShape, let N : int>(S s, float w[N], float x) {\n"
        "    return s.at(x) * w[N - 1]; }";
    require_right(check_one(kernel(
        functions,
        "Ball ball; ball.r = y.p; var s = diffPair(ball, {}); float w[2] = {1, gIn[b + 2]};\n"
        "var p = diffPair(w); bwd_diff(f)(s, p, x, 1.0f); gGrad[b + 2] = s.d.r;")));
    const DifferentiatedCall unknown = check_one(
        kernel(functions + "\nBall made(float r) { Ball ball; ball.r = r; return ball; }\n",
               "var s = diffPair(made(y.p), {}); float w[2] = {1, 2}; var p = diffPair(w);\n"
               "bwd_diff(f)(s, p, x, 1.0f);"));
    CHECK(unknown.differences.detail ==
          "f is generic, and its arguments are not written: write `bwd_diff(f<TYPE>)`");
}

TEST_CASE("derivative check: a structure as a generic argument of another") {
    require_right(check_one(kernel(
        "struct Base : IDifferentiable { float k; }\n"
        "struct Layer<A : IDifferentiable> : IDifferentiable { A a; float w; }\n"
        "[Differentiable] float f(Layer<Base> m, no_diff float c) { return m.w * m.a.k * c; }",
        "Layer<Base> m; m.a.k = x.p; m.w = y.p; var p = diffPair(m);\n"
        "bwd_diff(f)(p, gIn[b + 2], 1.0f); gGrad[b + 2] = p.d.a.k; gGrad[b + 3] = p.d.w;")));
}

TEST_CASE("derivative check: a wrong custom derivative whose function has no other is named") {
    const std::string source =
        "float newton(float r) { float p = 1.5f; for (int i = 0; i < 20; i++)\n"
        "    p -= (p * p - r) / (2 * p); return p; }\n" // not differentiable
        "[BackwardDerivative(rootBackward)] float root(float r) { return newton(r); }\n"
        "void rootBackward(inout DifferentialPair<float> r, float g) {\n"
        "    r = diffPair(r.p, g / newton(r.p)); }\n"
        "[BackwardDerivative(scaledBackward)] float scaled(float x) { return 3 * x; }\n"
        "void scaledBackward(inout DifferentialPair<float> x, float g) { x = diffPair(x.p, 3 * g); "
        "}\n"
        "[Differentiable] float f(float x, float y) { return scaled(root(x * x + 1)) * y; }";
    const DifferentiatedCall call = check_one(kernel_of(source));
    require_wrong(call);
    CHECK(call.custom_derivatives == std::vector<std::string>{"rootBackward"});
}
