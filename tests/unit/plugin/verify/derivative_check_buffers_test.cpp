#include "derivative_check_kernels.h"

using namespace slimgrad;
using namespace slimgrad::derivative_cases;

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

TEST_CASE("derivative check: weights of a volume") {
    VerifyOptions options;
    options.gradients["gW"] = "gWG";
    const DifferentiatedCall call =
        check_one(file("tests/inputs/kernels/k01_volume.slang"), options);
    CAPTURE(call.differences.detail);
    CHECK(call.differences.state == StepState::passed);
    CHECK(call.dot_product.detail == "ldW has a backward derivative only");
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

TEST_CASE("derivative check: tensors and their gradients grow together") {
    VerifyOptions options;
    options.samples = 4;
    const auto one = [&](const std::string& body) {
        const auto calls =
            check("[AutoPyBindCUDA] [CUDAKernel] [Differentiable]\n"
                  "void gather(DiffTensorView<float> table, DiffTensorView<float> x,\n"
                  "            DiffTensorView<float> y)\n{\n"
                  "    uint i = (cudaBlockIdx() * cudaBlockDim() + cudaThreadIdx()).x;\n"
                  "    if (i >= x.size(0)) return;\n    float v = x.load(uint2(i, 0));\n" +
                      body + "}\n",
                  "__kernel__gather_bwd_diff", options, {}, verify::Machine::cuda);
        REQUIRE(calls.size() == 1);
        return calls.front();
    };
    // Read from left to right, gradients are added from right to left.
    const std::string far =
        "    float a = table.load(uint2(i, 30)), b = table.load(uint2(i, 60));\n"
        "    y.store(uint2(i, 0), v * a * b + sin(table.load(uint2(i, 100))));\n";
    require_right(one(far));
    require_wrong(one(edited(far, "v * a * b", "v * a * detach(b)")));
    // The largest step alone leaves the table.
    options.ranges["x"] = {0.5, 0.99};
    require_right(one("    float w = 0; if (v > 1) w = 0.125 * table.load(uint2(i, 40));\n"
                      "    y.store(uint2(i, 0), v * v * table.load(uint2(i, 3)) + w);\n"));
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
    // Both have one shape, however they grow: rows are read from left to right, added to from right
    // to left.
    std::string wide = edited(source, "w[i]", "w[uint2(1, i)]");
    wide = edited(wide, "(i, d, old)", "(uint2(1, i), d, old)");
    wide = edited(edited(edited(wide, "gw, 1)", "gw, 30)"), "gw, 20)", "gw, 60)"), "gw, 2)",
                  "gw, 100)");
    CHECK(checked(wide, paired).differences.state == StepState::passed);
    paired.ranges["w.size[0]"] = {7, 7};
    CHECK(checked(wide, paired).differences.state == StepState::passed);
    require_wrong(checked(edited(wide, "i), d, old)", "i), 0.5f * d, old)"), paired));
    // A gradient of one dimension where the values have two: in which order is not known.
    const auto unknown = [&](const std::string& text, const std::string& why) {
        const DifferentiatedCall call = checked(text, paired);
        CAPTURE(call.differences.detail);
        CHECK(call.differences.state == StepState::not_applicable);
        CHECK(call.differences.detail.find(why) != std::string::npos);
    };
    paired.ranges.clear();
    unknown(edited(wide, "uint2(1, i), d, old", "16 + i, d, old"),
            "whether gw has as many dimensions as w is not known");
    std::string buffer = edited(
        edited(wide, "gw.InterlockedAdd(uint2(1, i), d, old);", "InterlockedAdd(gW[160 + i], d);"),
        "float old;", "");
    buffer = "RWStructuredBuffer<float> gW;\n" + buffer;
    paired.gradients = {{"w", "gW"}};
    unknown(buffer, "give `\"w.size[1]\" = WIDTH` under [inputs]");
    paired.ranges["w.size[1]"] = {160, 160};
    CHECK(checked(buffer, paired).differences.state == StepState::passed);
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
