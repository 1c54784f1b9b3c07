#include "plugin/verify/derivative_check.h"

#include "cpu_kernels.h"

#include <algorithm>
#include <fmt/format.h>

using namespace slimgrad;
using verify::DifferentiatedCall;

namespace {

/// A kernel that differentiates what `functions` declare as `body` does it. `in` is read, `out`
/// written.
std::string kernel(const std::string& functions, const std::string& body) {
    return fmt::format("RWStructuredBuffer<float> gIn;\nRWStructuredBuffer<float> gGrad;\n"
                       "StructuredBuffer<float> gW;\nRWStructuredBuffer<float> gWG;\n{}\n"
                       "[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
                       "void gradMain(uint3 tid : SV_DispatchThreadID)\n{{\n"
                       "    uint b = tid.x * 16;\n    var x = diffPair(gIn[b], 0.0f);\n"
                       "    var y = diffPair(gIn[b + 1], 0.0f);\n{}\n"
                       "    gGrad[b] = x.d; gGrad[b + 1] = y.d;\n}}\n",
                       functions, body);
}

/// The kernel differentiates f of x and y.
std::string kernel_of(const std::string& f) {
    return kernel(f, "bwd_diff(f)(x, y, 1.0f);");
}

std::string file(const std::string& path) {
    std::ifstream stream(SLIMGRAD_SOURCE_DIR "/" + path);
    std::ostringstream text;
    text << stream.rdbuf();
    REQUIRE(!text.str().empty());
    return text.str();
}

std::vector<DifferentiatedCall> check(const std::string& source, const std::string& entry_point,
                                      VerifyOptions options = {},
                                      const std::vector<std::string>& arguments = {},
                                      verify::Machine machine = verify::Machine::cpp) {
    static SlangCompiler compiler({SLIMGRAD_BUILD_DIR "/slimgrad-slang", {}});
    const TemporaryFolder folder;
    ModuleVariant variant;
    variant.file = folder.write("k.slang", source);
    variant.root = folder.path().string();
    variant.slang_arguments = arguments;
    std::vector<SourceFile> files;
    files.emplace_back(variant.file, source);
    const ModuleModel model = build_module_model(std::move(files), macro_definitions(arguments));
    const Reflection reflection;
    verify::DerivativeRequest request;
    request.variant = &variant;
    request.model = &model;
    request.reflection = &reflection;
    request.entry_point = entry_point;
    request.machine = machine;
    options.samples = std::min(options.samples, 12u);
    request.options = &options;
    const auto calls = verify::check_derivatives(compiler, shared_verifier().libraries(),
                                                 shared_verifier().runner(), request);
    REQUIRE_MESSAGE(calls, calls.error().message);
    return *calls;
}

/// The only call of the kernel.
DifferentiatedCall check_one(const std::string& source, const VerifyOptions& options = {}) {
    const std::vector<DifferentiatedCall> calls = check(source, "gradMain", options);
    REQUIRE(calls.size() == 1);
    return calls.front();
}

void require_right(const DifferentiatedCall& call) {
    CAPTURE(call.dot_product.detail);
    CAPTURE(call.differences.detail);
    CHECK(call.dot_product.state == StepState::passed);
    CHECK(call.differences.state == StepState::passed);
    CHECK(call.backward == doctest::Approx(call.central_difference).epsilon(1e-3));
    CHECK(call.mismatches == 0);
}

void require_wrong(const DifferentiatedCall& call) {
    CAPTURE(call.differences.detail);
    CHECK(call.differences.state == StepState::failed);
    CHECK(call.mismatches > 0);
}

} // namespace

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

TEST_CASE("derivative check: gradients that custom derivatives add into a buffer") {
    const std::string source = kernel(
        "[BackwardDerivative(loadBackward)]\nfloat load(uint i) { return gW[i]; }\n"
        "void loadBackward(uint i, float.Differential d) { gWG[i] += d; }\n"
        "[Differentiable] float f(float x) { float s = x;\n"
        "    [MaxIters(4)] for (int i = 0; i < 4; ++i) s = sin(s * load(uint(i))) + load(9);\n"
        "    return s; }",
        "bwd_diff(f)(x, 1.0f);");
    SUBCASE("right, the pair is obvious") {
        const DifferentiatedCall call = check_one(source);
        CAPTURE(call.differences.detail);
        CHECK(call.differences.state == StepState::passed);
        CHECK(call.unpaired.empty());
    }
    SUBCASE("wrong in the buffer only") {
        require_wrong(check_one(edited(source, "gWG[i] += d", "gWG[i] += 1.5f * d")));
    }
    SUBCASE("the pair is configured") {
        VerifyOptions options;
        options.gradients["gW"] = "gWG";
        require_wrong(check_one(edited(source, "gWG[i] += d", "gWG[i + 1] += d"), options));
    }
    SUBCASE("no pair") {
        const DifferentiatedCall call =
            check_one(edited(source, "gWG[i] += d", "gWG[2 * i + 1] += 2.0f * d"));
        CHECK(call.differences.state == StepState::passed); // of the arguments
        CHECK(call.unpaired == std::vector<std::string>{"gW"});
    }
}

TEST_CASE("derivative check: a custom derivative that writes memory leaves a buffer unpaired") {
    const auto unpaired = [](const std::string& body) {
        const std::string functions =
            "RWStructuredBuffer<Atomic<float>> gA;\nRWByteAddressBuffer gB;\n"
            "RWStructuredBuffer<uint> gU;\nuniform float scale;\n"
            "float load(uint i) { return gW[i]; }\n"
            "[BackwardDerivativeOf(load)] void loadBackward(uint i, float d) { " +
            body + " }\n[Differentiable] float f(float x) { return x * load(0) + load(1); }";
        return check_one(kernel(functions, "bwd_diff(f)(x, 1.0f);")).unpaired;
    };
    for (const char* body :
         {"gA[i].add(d * 0.5f);", "float o; gB.InterlockedAddF32(4 * i, d * 0.5f, o);",
          "gWG[i] -= d;", "gWG[i] = d;", "gWG[i ^ 1] += d;",
          "uint o; InterlockedCompareExchange(gU[i], 0u, asuint(d), o);"}) {
        CAPTURE(body);
        CHECK(unpaired(body) == std::vector<std::string>{"gW"});
    }
    const auto primal = [](const std::string& load) {
        return check_one(kernel("uniform float scale;\n[BackwardDerivative(back)] " + load +
                                    "\nvoid back(inout DifferentialPair<float> x, float d) {\n"
                                    "    x = diffPair(x.p, d * scale); gWG[0] += d * x.p; }\n"
                                    "[Differentiable] float f(float x) { return load(x); }",
                                "bwd_diff(f)(x, 1.0f);"))
            .unpaired;
    };
    CHECK(primal("float load(float x) { return x * scale; }") == std::vector<std::string>{"scale"});
    CHECK(primal("float load(float x) { return x; }").empty()); // what it writes is no gradient
}

TEST_CASE("derivative check: a function of buffers alone") {
    const std::string source =
        kernel("float load(int i) { return gW[i]; }\n"
               "[BackwardDerivativeOf(load)] void back(int i, float d) { gWG[i] = d + gWG[i]; }\n"
               "[Differentiable] float f(no_diff float x) { return sin(load(0) * x) * load(3); }",
               "bwd_diff(f)(gIn[b], 1.0f);");
    VerifyOptions options;
    options.gradients["gW"] = "gWG";
    SUBCASE("right") {
        const DifferentiatedCall call = check_one(source, options);
        CAPTURE(call.differences.detail);
        CHECK(call.differences.state == StepState::passed);
        CHECK(call.differences.detail.starts_with("of gW 12 of 12 inputs agree"));
        CHECK(call.unpaired.empty());
    }
    SUBCASE("wrong") {
        require_wrong(check_one(edited(source, "= d +", "= 0.5f * d +"), options));
    }
    SUBCASE("not paired") {
        const DifferentiatedCall call = check_one(source);
        CHECK(call.differences.state == StepState::not_applicable);
        CHECK(call.differences.detail.find("gradient.gW = ") != std::string::npos);
    }
    SUBCASE("paired with what is not there") {
        options.gradients["gW"] = "gWGs";
        const DifferentiatedCall call = check_one(source, options);
        CHECK(call.differences.state == StepState::not_applicable);
        CHECK(call.differences.detail == "gradient.gW: there is no buffer 'gWGs'");
    }
    SUBCASE("paired the other way round") {
        options.gradients = {{"gWG", "gW"}};
        CHECK(check_one(source, options).differences.detail ==
              "gradient.gWG: no custom derivative writes 'gW'");
    }
    SUBCASE("of another module") {
        options.gradients["weights"] = "weightGrads";
        CHECK(check_one(source, options).differences.state == StepState::passed);
    }
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

TEST_CASE("derivative check: weights of a volume") {
    VerifyOptions options;
    options.gradients["gW"] = "gWG";
    const DifferentiatedCall call =
        check_one(file("tests/inputs/kernels/k01_volume.slang"), options);
    CAPTURE(call.differences.detail);
    CHECK(call.differences.state == StepState::passed);
    CHECK(call.dot_product.detail == "ldW has a backward derivative only");
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

TEST_CASE("derivative check: buffers are passed through") {
    require_right(
        check_one(kernel("[Differentiable] float f(StructuredBuffer<float> w, float x) {\n"
                         "    return x * x * no_diff w[3]; }",
                         "bwd_diff(f)(gW, x, 1.0f);")));
}

TEST_CASE("derivative check: a kernel for Python that is not differentiated itself") {
    const std::string source =
        "[Differentiable] float f(float x, float w) { return exp(-x * x * w); }\n"
        "[AutoPyBindCUDA] [CUDAKernel]\n"
        "void back(TensorView<float> x, TensorView<float> dy, TensorView<float> dx)\n{\n"
        "    uint3 id = cudaThreadIdx() + cudaBlockIdx() * cudaBlockDim();\n"
        "    if (id.x >= x.size(0)) return;\n"
        "    var px = diffPair(x[id.x]); var pw = diffPair(0.5f);\n"
        "    bwd_diff(f)(px, pw, dy[id.x]);\n    dx[id.x] = px.d;\n}\n";
    const std::vector<DifferentiatedCall> calls =
        check(source, "__kernel__back", {}, {}, verify::Machine::cuda);
    REQUIRE(calls.size() == 1);
    require_right(calls[0]);
}

TEST_CASE("derivative check: kernels that are differentiated themselves") {
    const std::string source =
        "[AutoPyBindCUDA] [CUDAKernel] [Differentiable]\n"
        "void scan(DiffTensorView<float> tokens, DiffTensorView<float> gates,\n"
        "          DiffTensorView<float> states)\n{\n"
        "    uint t = (cudaBlockIdx() * cudaBlockDim() + cudaThreadIdx()).x;\n"
        "    if (t >= tokens.size(0)) return;\n"
        "    float state = 0.0f;\n"
        "    [MaxIters(8)] for (int k = 0; k < 8; k++) {\n"
        "        float gate = sin(gates.load(uint(k)));\n"
        "        state = gate * state + tokens.loadOnce(uint2(t, k));\n    }\n"
        "    states.storeOnce(t, state);\n}\n";
    VerifyOptions options;
    options.samples = 4;
    const auto one = [&](const std::string& text) {
        const std::vector<DifferentiatedCall> calls =
            check(text, "__kernel__scan_bwd_diff", options, {}, verify::Machine::cuda);
        REQUIRE(calls.size() == 1);
        CAPTURE(calls[0].dot_product.detail);
        CHECK(calls[0].dot_product.state == StepState::passed);
        CHECK(calls[0].function == "scan");
        CHECK(calls[0].place.line == 2);
        return calls[0];
    };
    require_right(one(source));
    const DifferentiatedCall wrong = one(edited(source, "gate * state", "gate * detach(state)"));
    require_wrong(wrong);
    REQUIRE(wrong.cuts.size() == 1);
    CHECK(wrong.cuts[0].line == 10);
    // Buffers do not move with the tensors.
    const std::vector<DifferentiatedCall> buffers =
        check("RWStructuredBuffer<float> gW; RWStructuredBuffer<float> gWG;\n"
              "[BackwardDerivative(back)] float load(uint i) { return gW[i]; }\n"
              "void back(uint i, float d) { gWG[i] += 3.0f * d; }\n" +
                  edited(source, "sin(gates", "load(uint(k)) * sin(gates"),
              "__kernel__scan_bwd_diff", options, {}, verify::Machine::cuda);
    REQUIRE(buffers.size() == 1);
    CHECK(buffers[0].unpaired == std::vector<std::string>{"gW"});
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

TEST_CASE("derivative check: tensors that a custom derivative adds the gradients of") {
    const std::string source =
        "[BackwardDerivative(loadBackward)]\n"
        "float load(TensorView<float> w, TensorView<float> gw, uint i) { return w[i]; }\n"
        "void loadBackward(TensorView<float> w, TensorView<float> gw, uint i, float d) {\n"
        "    float old; gw.InterlockedAdd(i, d, old); }\n"
        "[Differentiable] float f(TensorView<float> w, TensorView<float> gw, float x) {\n"
        "    return tanh(load(w, gw, 1) * x + load(w, gw, 20)) * load(w, gw, 2); }\n"
        "[CUDAKernel] [AutoPyBindCUDA]\n"
        "void train(TensorView<float> w, TensorView<float> gw, TensorView<float> x,\n"
        "                        TensorView<float> gx) {\n"
        "    uint i = cudaThreadIdx().x; if (i >= x.size(0)) return;\n"
        "    var p = diffPair(x[i]); bwd_diff(f)(w, gw, p, 1.0f); gx[i] = p.d; }\n";
    const auto checked = [](const std::string& text, const VerifyOptions& options) {
        const auto calls = check(text, "__kernel__train", options, {}, verify::Machine::cuda);
        REQUIRE(calls.size() == 1);
        return calls.front();
    };
    const DifferentiatedCall unpaired = checked(source, {});
    CHECK(unpaired.differences.state == StepState::passed); // of x
    CHECK(unpaired.unpaired == std::vector<std::string>{"w"});
    VerifyOptions paired;
    paired.gradients = {{"w", "gw"}};
    const DifferentiatedCall right = checked(source, paired);
    CAPTURE(right.differences.detail);
    CHECK(right.differences.state == StepState::passed);
    CHECK(right.unpaired.empty());
    CHECK(right.differences.detail.find("of w ") != std::string::npos);
    require_wrong(checked(edited(source, "(i, d, old)", "(i, 0.5f * d, old)"), paired));
}

TEST_CASE("derivative check: textures move in steps that their texels can hold") {
    const auto source = [](const std::string& gradient, const std::string& add) {
        return "Texture2D<float4> albedo; " + gradient +
               " gAlbedo; StructuredBuffer<float> gIn;\nRWStructuredBuffer<float> gOut;\n"
               "[BackwardDerivative(readBackward)] float4 read(uint2 p) { return albedo[p]; }\n"
               "void readBackward(uint2 p, float4 g) { " +
               add +
               " }\n[Differentiable] float f(uint2 p, float light) {\n"
               "    float4 a = read(p); return dot(a.xyz, float3(3, 6, 1)) * light * a.w; }\n"
               "[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
               "void gradMain(uint3 t : SV_DispatchThreadID) { var l = diffPair(gIn[t.x], 0.0f);\n"
               "    bwd_diff(f)(t.xy, l, 1.0f); gOut[t.x] = l.d; }\n";
    };
    VerifyOptions options;
    options.gradients = {{"albedo", "gAlbedo"}};
    const auto checked = [&](const std::string& text) {
        const auto calls = check(text, "gradMain", options, {}, verify::Machine::cuda);
        REQUIRE(calls.size() == 1);
        return calls.front();
    };
    const std::string texture = "RWTexture2D<float4>", buffer = "RWStructuredBuffer<float4>";
    const DifferentiatedCall right = checked(source(texture, "gAlbedo[p] = gAlbedo[p] + g;"));
    CAPTURE(right.differences.detail);
    CHECK(right.differences.state == StepState::passed);
    require_wrong(checked(source(texture, "gAlbedo[p] = gAlbedo[p] + 0.5f * g;")));

    // Column by column, which is as good as any order.
    const DifferentiatedCall other = checked(source(buffer, "gAlbedo[p.x * 40 + p.y] += g;"));
    CHECK(other.differences.state == StepState::not_applicable);
    CHECK(other.differences.detail.find("give `\"albedo.size[0]\" = WIDTH` under [inputs]") !=
          std::string::npos);
    CHECK(other.custom_derivatives.empty());
    // Row by row, by a constant that says how long a row is.
    const std::string rows =
        "static const uint W = 5;\n" + source(buffer, "gAlbedo[p.y * W + p.x] += g;");
    CHECK(checked(rows).differences.state == StepState::passed);
    options.ranges["albedo.size[0]"] = {5, 5};
    require_wrong(checked(edited(rows, "+= g", "+= 0.5f * g")));
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

TEST_CASE("derivative check: tensors in a structure, with their gradients") {
    const std::string source =
        "struct Weights { TensorView<float> v; TensorView<float> g; }\n"
        "[BackwardDerivative(loadBackward)] float load(Weights w, uint r, uint c) { return w.v[r, "
        "c]; }\n"
        "void loadBackward(Weights w, uint r, uint c, float d) {\n"
        "    float old; w.g.InterlockedAdd(uint2(r, c), d, old); }\n"
        "[Differentiable] float f(Weights a, Weights b, no_diff uint i) {\n"
        "    return load(a, i, 1) * exp(0.1f * load(b, 0, i)); }\n"
        "[CUDAKernel] [AutoPyBindCUDA]\n"
        "void train(TensorView<float> p, TensorView<float> q, TensorView<float> gp,\n"
        "           TensorView<float> gq, TensorView<float> u) {\n"
        "    uint i = cudaThreadIdx().x; if (i >= p.size(0)) return;\n"
        "    Weights a = { p, gp }; Weights b = { q, gq }; bwd_diff(f)(a, b, i, u[i]); }\n";
    VerifyOptions options;
    options.gradients = {{"p", "gp"}, {"q", "gq"}};
    const auto checked = [&](const std::string& text) {
        const auto calls = check(text, "__kernel__train", options, {}, verify::Machine::cuda);
        REQUIRE(calls.size() == 1);
        return calls.front();
    };
    const DifferentiatedCall right = checked(source);
    CAPTURE(right.differences.detail);
    CHECK(right.differences.state == StepState::passed);
    CHECK(right.unpaired.empty());
    require_wrong(checked(edited(source, "uint2(r, c), d, old", "uint2(r, c), 2 * d, old")));
}
