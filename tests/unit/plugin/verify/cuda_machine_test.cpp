// The cuda machine by what kernels compute on it: each builtin of CUDA that Slang emits, in a
// kernel whose answer is known. Kernels run in three blocks.

#include "cuda_kernels.h"

using namespace slimgrad;

namespace {

/// A kernel of one block size with this body, and a buffer `o`.
std::string kernel(const std::string& threads, const std::string& body,
                   const std::string& globals = "") {
    return globals + R"(
RWStructuredBuffer<float> o;
[shader("compute")] [numthreads()" +
           threads + R"()]
void main(uint3 tid : SV_DispatchThreadID, uint3 gtid : SV_GroupThreadID, uint3 gid : SV_GroupID, uint gi : SV_GroupIndex)
{
)" + body + "\n}\n";
}

} // namespace

TEST_CASE("threads know their place in blocks and grid") {
    const EntryOutputs out = run_cuda(kernel("4,2,1", R"(
        uint flat = gid.x * 8 + gi;
        o[flat * 4] = tid.x; o[flat * 4 + 1] = tid.y; o[flat * 4 + 2] = gtid.x * 10 + gtid.y; o[flat * 4 + 3] = gid.x;)"));
    const std::vector<double>& o = out.at("o");
    const std::size_t flat = 2 * 8 + 1 * 4 + 3; // block 2, thread (3, 1)
    CHECK(o[flat * 4] == 2 * 4 + 3);
    CHECK(o[flat * 4 + 1] == 1);
    CHECK(o[flat * 4 + 2] == 31);
    CHECK(o[flat * 4 + 3] == 2);
}

TEST_CASE("groupshared memory and barriers: a reduction in a tree") {
    const EntryOutputs out = run_cuda(kernel("64,1,1", R"(
        tile[gi] = float(gi) + 100.0f * gid.x;
        GroupMemoryBarrierWithGroupSync();
        for (uint half = 32; half > 0; half /= 2) {
            if (gi < half) tile[gi] += tile[gi + half];
            GroupMemoryBarrierWithGroupSync();
        }
        if (gi == 0) o[gid.x] = tile[0];)",
                                             "groupshared float tile[64];"));
    CHECK(out.at("o")[0] == 2016);
    CHECK(out.at("o")[1] == 2016 + 6400);
    CHECK(out.at("o")[2] == 2016 + 12800);
}

TEST_CASE("groupshared memory holds nothing when a block starts") {
    const EntryOutputs out = run_cuda(kernel("2,1,1", R"(
        o[tid.x] = isnan(tile[gi]) ? 1.0f : 0.0f;
        tile[gi] = 7;)",
                                             "groupshared float tile[2];"));
    for (std::size_t i = 0; i < 6; ++i)
        CHECK(out.at("o")[i] == 1);
}

TEST_CASE("tensors: shapes, strides, loads and stores") {
    const EntryOutputs out = run_cuda(R"(
[CUDAKernel]
void touch(TensorView<float> a, TensorView<float3> v, TensorView<int> n, float scale)
{
    uint t = (cudaBlockIdx() * cudaBlockDim() + cudaThreadIdx()).x;
    if (t >= 4) return;
    a[uint2(t, 1)] = scale * a[uint2(t, 0)];
    v[uint2(0, t)] = float3(t, n.dims(), a.size(1));
    n.store(uint2(t, 2), int(a.stride(0)));
})",
                                      {{"a", {1, 0}}, {"scale", {3}}}, "touch");
    const auto row = static_cast<std::size_t>(out.at("v")[3 * 2 + 2]);
    CHECK(row > 1);
    CHECK(out.at("a")[1] == 3);
    CHECK(out.at("v")[3 * 2] == 2);
    CHECK(out.at("v")[3 * 2 + 1] == 2);
    CHECK(out.at("n")[3 * row + 2] == row * 4);
}

TEST_CASE("the backward pass of a tensor kernel agrees with the derivative on paper") {
    const std::string source = R"(
[AutoPyBindCUDA] [CUDAKernel] [Differentiable]
void square(DiffTensorView<float> x, DiffTensorView<float> y, no_diff float k)
{
    uint t = (cudaBlockIdx() * cudaBlockDim() + cudaThreadIdx()).x;
    if (t >= 3) return;
    float v = x.load(t);
    y.storeOnce(t, k * v * v);
})";
    const EntryInputs inputs{{"x", {2, -3, 5}}, {"y.diff", {1, 10, 100}}, {"k", {0.5}}};
    CHECK(run_cuda(source, inputs, "__kernel__square").at("y")[2] == 12.5);
    const std::vector<double> gradient =
        run_cuda(source, inputs, "__kernel__square_bwd_diff").at("x.diff");
    CHECK(gradient[0] == 2);
    CHECK(gradient[1] == -30);
    CHECK(gradient[2] == 500);
    CHECK(gradient[3] == 0);
}

TEST_CASE("wave operations over 32 lanes, in converged and in divergent code") {
    const EntryOutputs out = run_cuda(kernel("64,1,1", R"(
        if (gid.x != 0) return;
        float x = float(gi % 32) + 1;
        o[gi] = WaveActiveSum(x);
        o[64 + gi] = WavePrefixSum(x);
        o[128 + gi] = WaveReadLaneAt(x, 5) + WaveActiveMax(x);
        o[192 + gi] = countbits(WaveActiveBallot(gi % 4 == 0).x);
        if (gi % 2 == 0) {
            o[256 + gi] = WaveActiveSum(x);
            o[320 + gi] = WaveReadLaneFirst(float(gi));
        }
        float sum = 0;
        for (uint i = 0; i < gi % 3; ++i) sum += WaveActiveSum(1.0f);
        o[384 + gi] = sum;
        o[448 + gi] = WaveActiveAllTrue(x > 0) ? (WaveActiveAnyTrue(gi == 40) ? 2 : 1) : 0;
        o[512 + gi] = WaveIsFirstLane() ? 1 : 0;)"));
    const std::vector<double>& o = out.at("o");
    CHECK(o[7] == 528);
    CHECK(o[64 + 3] == 6);
    CHECK(o[128 + 32] == 6 + 32);
    CHECK(o[192 + 1] == 8);
    CHECK(o[256 + 2] == 256); // 1 + 3 + ... + 31
    CHECK(o[320 + 36] == 32); // the second warp's first lane
    CHECK(o[384 + 0] == 0);
    CHECK(o[384 + 1] == 21);      // lanes 1, 2, 4, 5, ... make a first trip
    CHECK(o[384 + 2] == 21 + 10); // lanes 2, 5, ... a second
    CHECK(o[448 + 3] == 1);
    CHECK(o[448 + 33] == 2);
    CHECK(o[512] + o[513] == 1);
}

TEST_CASE("atomics: floats, integers, in buffers and groupshared memory") {
    const EntryOutputs out = run_cuda(kernel("32,1,1", R"(
        if (gi == 0) { total = 0; highest = 0; }
        GroupMemoryBarrierWithGroupSync();
        InterlockedAdd(total, int(gi));
        InterlockedMax(highest, gi);
        counters[2].add(2);
        float before; raw.InterlockedAddF32(8, 0.5f, before);
        uint old; InterlockedCompareExchange(words[1], gi, gi + 1, old);
        __atomic_reduce_add(o[5], 1.5f);
        GroupMemoryBarrierWithGroupSync();
        if (gi == 0) { o[gid.x] = total + 1000 * highest; })",
                                             R"(groupshared int total; groupshared uint highest;
RWStructuredBuffer<Atomic<int>> counters; RWByteAddressBuffer raw; RWStructuredBuffer<uint> words;)"));
    CHECK(out.at("o")[0] == 496 + 31000);
    CHECK(out.at("o")[2] == 496 + 31000);
    CHECK(out.at("o")[5] == 96 * 1.5);
    CHECK(out.at("counters")[2] == 192);
    CHECK(out.at("raw")[2] == 48);
    CHECK(out.at("words")[1] == 32);
}

TEST_CASE("half arithmetic rounds after every operation") {
    const EntryOutputs out =
        run_cuda(kernel("1,1,1", R"(
        half a = h[0], b = h[1];
        h[2] = a + b; h[3] = a * b; h[4] = a / b; h[5] = sqrt(a);
        h2[1] = h2[0] * half2(2, 3) + half2(1, 1);
        o[0] = float(a + b); o[1] = float(dot(half3(a, b, 1), half3(b, a, 1))); o[2] = float(max(a, b)); o[3] = int(a * half(3)); )",
                        "RWStructuredBuffer<half> h; RWStructuredBuffer<half2> h2;"),
                 {{"h", {2049, 1.0 / 3}}, {"h2", {0.5, 0.25}}});
    const double third = 0.333251953125; // of 1/3, in half precision
    CHECK(out.at("h")[2] == 2048);       // 2048 + third is no half
    CHECK(out.at("h")[3] == doctest::Approx(2048 * third).epsilon(1e-3));
    CHECK(out.at("h")[4] == 6144);
    CHECK(out.at("h")[5] == 45.25);
    CHECK(out.at("h2")[2] == 2);
    CHECK(out.at("h2")[3] == 1.75);
    CHECK(out.at("o")[0] == 2048);
    CHECK(out.at("o")[2] == 2048);
    CHECK(out.at("o")[3] == 6144);
}

TEST_CASE("textures are sampled with a linear filter, and read and written by texel") {
    std::vector<double> image(16 * 16 * 4), volume(8 * 8 * 8);
    for (std::size_t i = 0; i < image.size(); ++i)
        image[i] = static_cast<double>(i);
    volume[8 * 8 * 2 + 8 * 3 + 1] = 8;
    std::vector<double> layers(16 * 16 * 4 * 2);
    layers[(16 * 16 * 2 + 16 * 3 + 5) * 2 + 1] = 42;
    std::vector<double> faces(8 * 8 * 6 * 4);
    faces[(8 * 8 * 2 + 8 * 4 + 4) * 4] = 3;
    const EntryOutputs out = run_cuda(
        kernel(
            "1,1,1", R"(
        if (gid.x != 0) return;
        float4 texel = image.Load(int3(3, 2, 0));
        o[0] = texel.x; o[1] = texel.w;
        o[2] = image.SampleLevel(s, float2(3.5f, 2.5f) / 16, 0).x;
        o[3] = image.SampleLevel(s, float2(4.0f, 2.5f) / 16, 0).x;
        o[4] = image.SampleLevel(s, float2(3.5f + 16, 2.5f) / 16, 0).y;
        o[5] = volume.SampleLevel(s, float3(1.5f, 3.5f, 3.0f) / 8, 0);
        o[6] = layers.SampleLevel(s, float3(float2(5.5f, 3.5f) / 16, 2), 0).y + layers.Load(int4(5, 3, 2, 0)).y;
        o[7] = faces.SampleLevel(s, float3(0.125f, 1, 0.125f), 0).x;
        uint w, h; image.GetDimensions(w, h); o[8] = w * 100 + h;
        o[9] = numbers.Load(int3(1, 1, 0));
        plane[uint2(2, 1)] = plane[uint2(1, 0)] + 1;
        plane[uint2(999, 0)] = 5;
        o[10] = plane[uint2(999, 0)];)",
            R"(Texture2D<float4> image; Texture3D<float> volume; Texture2DArray<float2> layers; TextureCube<float4> faces;
Texture2D<uint> numbers; RWTexture2D<float> plane; SamplerState s;)"),
        {{"image", image},
         {"volume", volume},
         {"layers", layers},
         {"faces", faces},
         {"numbers", std::vector<double>(18, 9)},
         {"plane", {1, 6}}});
    const std::vector<double>& o = out.at("o");
    const double texel = (2 * 16 + 3) * 4;
    CHECK(o[0] == texel);
    CHECK(o[1] == texel + 3);
    CHECK(o[2] == texel);
    CHECK(o[3] == texel + 2);
    CHECK(o[4] == texel + 1);
    CHECK(o[5] == 4);
    CHECK(o[6] == 84);
    CHECK(o[7] == 3);
    CHECK(o[8] == 1616);
    CHECK(o[9] == 9);
    CHECK(out.at("plane")[16 + 2] == 7);
    CHECK(o[10] == 0);
}

TEST_CASE("kernels may have names that the C library has too") {
    const std::string source =
        "RWStructuredBuffer<float> o;\n[shader(\"compute\")] [numthreads(1,1,1)] void remove() { "
        "o[0] = 1; }\n"
        "[shader(\"compute\")] [numthreads(1,1,1)] void main() { o[0] = 2; }\n";
    CHECK(run_cuda(source, {}, "remove").at("o")[0] == 1);
    CHECK(run_cuda(source).at("o")[0] == 2);
}

TEST_CASE("a barrier that not all threads reach is said to be one") {
    const CpuVariant& variant = cuda_variant(kernel("32,1,1", R"(
        if (gi < 3)
            GroupMemoryBarrierWithGroupSync();
        o[gi] = 1;)"));
    const auto result = shared_verifier().run_entry(variant, "main", {EntryInputs{}}, {});
    REQUIRE(!result);
    CHECK(result.error().message == "main waits at a barrier that 29 of 32 threads do not reach");
}
