// That kernels see what the plan says, for every kind of parameter: known values in, known values
// out, through the real compiler.

#include "cuda_kernels.h"

using namespace slimgrad;

namespace {

const std::string shader = R"(
struct Particle { float3 position; int kind; half small; double weight; bool alive; float2x3 frame; float tail[3]; };
struct Inner { float gain; int steps; float3 axis; };
struct Resources { StructuredBuffer<float> weights; Inner inner; };
cbuffer Settings { float scale; int count; }
ConstantBuffer<Inner> inner;
ParameterBlock<Resources> resources;
uniform float loose;
uniform int4 four;
RWStructuredBuffer<Particle> particles;
RWStructuredBuffer<half> halves;
RWStructuredBuffer<double> doubles;
RWStructuredBuffer<int> ints;
RWStructuredBuffer<uint64_t> longs;
RWStructuredBuffer<int16_t> shorts;
RWByteAddressBuffer raw;
RWStructuredBuffer<float> outputs;

[Differentiable]
float f(float x, no_diff int n)
{
    float v = x;
    [MaxIters(8)]
    for (int i = 0; i < n; ++i) v = v * 1.5f;
    return v;
}

[shader("compute")] [numthreads(1,1,1)]
void gradMain(uint3 tid : SV_DispatchThreadID, uniform float amount, uniform int trips,
              uniform RWStructuredBuffer<float> extra, uniform float* pointer)
{
    var p = diffPair(1.0f, 0.f);
    bwd_diff(f)(p, trips, 1.f);
    outputs[0] = p.d; outputs[1] = amount; outputs[2] = extra[1]; outputs[3] = pointer[2];
    outputs[4] = scale; outputs[5] = float(count); outputs[6] = inner.gain; outputs[7] = inner.axis.z;
    outputs[8] = resources.weights[3]; outputs[9] = resources.inner.axis.y; outputs[10] = loose; outputs[11] = float(four.w);
    Particle q = particles[1];
    outputs[12] = q.position.z; outputs[13] = float(q.kind); outputs[14] = float(q.small); outputs[15] = float(q.weight);
    outputs[16] = q.alive ? 1 : 0; outputs[17] = q.tail[2]; outputs[18] = asfloat(raw.Load(8));
    q.weight *= 2.0; q.alive = !q.alive; q.small = half(0.5); q.tail[0] = 7;
    particles[2] = q;
    halves[1] = halves[0] * half(2); doubles[1] = doubles[0] / 3.0; ints[1] = -ints[0]; longs[1] = longs[0] + 1; shorts[1] = shorts[0];
    raw.Store(4, asuint(2.5f));
    pointer[0] = 4;
}
)";

} // namespace

TEST_CASE("every kind of parameter is where the kernel looks for it") {
    // Particle: position.xyz kind small weight alive frame[2][3] tail[3]
    std::vector<double> particles(2 * 16);
    particles[16 + 2] = 1.25, particles[16 + 3] = -3, particles[16 + 4] = 0.75,
                   particles[16 + 5] = 1.0 / 3, particles[16 + 6] = 1;
    particles[16 + 15] = 9.5;
    const EntryInputs inputs{{"trips", {2}},
                             {"amount", {0.5}},
                             {"extra", {1, 11}},
                             {"pointer", {1, 2, 12}},
                             {"Settings.scale", {13}},
                             {"Settings.count", {-14}},
                             {"inner.gain", {15}},
                             {"inner.axis.z", {16}},
                             {"resources.weights", {1, 2, 3, 17}},
                             {"resources.inner.axis.y", {18}},
                             {"loose", {19}},
                             {"four.w", {20}},
                             {"particles", particles},
                             {"raw", {0, 0, 21}},
                             {"halves", {1.5}},
                             {"doubles", {1}},
                             {"ints", {-5}},
                             {"longs", {4294967296.0}},
                             {"shorts", {-300}}};
    CpuVariant variant;
    SUBCASE("on the C++ machine") {
        variant = cpu_variant(shader);
    }
    SUBCASE("on the cuda machine") {
        variant = cuda_variant(shader);
    }
    const auto result = shared_verifier().run_entry(variant, "gradMain", {inputs, {}}, {});
    REQUIRE_MESSAGE(result, result.error().message);
    EntryOutputs outputs = result->front();
    const std::vector<double> expected{2.25, 0.5, 11,   12, 13,   -14,     15, 16,  17, 18,
                                       19,   20,  1.25, -3, 0.75, 1.0 / 3, 1,  9.5, 21};
    outputs["outputs"].resize(expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        CHECK(outputs["outputs"][i] == doctest::Approx(expected[i]));
    }
    const std::vector<double>& changed = outputs["particles"];
    CHECK(changed[32 + 2] == 1.25);
    CHECK(changed[32 + 4] == 0.5);
    CHECK(changed[32 + 5] == 2.0 / 3);
    CHECK(changed[32 + 6] == 0);
    CHECK(changed[32 + 13] == 7);
    CHECK(changed[32 + 15] == 9.5);
    CHECK(outputs["halves"][1] == 3);
    CHECK(outputs["doubles"][1] == 1.0 / 3);
    CHECK(outputs["ints"][1] == 5);
    CHECK(outputs["longs"][1] == 4294967297.0);
    CHECK(outputs["shorts"][1] == -300);
    CHECK(outputs["raw"][1] == 2.5);
    CHECK(outputs["pointer"][0] == 4);
    // What is not named is zero.
    CHECK((*result)[1].at("outputs")[10] == 0);
    CHECK((*result)[1].at("outputs")[0] == 1);
}

TEST_CASE("both machines write the same to all of it") {
    const auto result = shared_verifier().compare(cpu_variant(shader), cuda_variant(shader),
                                                  "gradMain", VerifyOptions{});
    REQUIRE(result);
    CHECK(result->reason == "bit-equal on 32 inputs");
}

TEST_CASE("two variants of such a kernel are compared over all of it") {
    VerifyOptions options;
    options.loops.push_back(loop_at(24, 8, true, "trips"));
    CHECK(compared(shader, shader, options).reason == "bit-equal on 32 inputs");
    const VerifyResult half = compared(shader, edited(shader, "half(0.5)", "half(0.51)"), options);
    REQUIRE(half.difference);
    CHECK(half.reason.starts_with("particles[2].small is 0.5 in the original and 0.5"));
    CHECK(compared(shader, edited(shader, "asuint(2.5f)", "asuint(2.6f)"), options)
              .reason.starts_with("raw[1] is 2.5 in the original"));
    CHECK(compared(shader, edited(shader, "longs[0] + 1", "longs[0] + 2"), options)
              .reason.starts_with("longs[1] is "));
}
