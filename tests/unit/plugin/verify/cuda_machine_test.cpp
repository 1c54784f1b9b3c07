// The cuda machine by what kernels compute on it: each builtin of CUDA that Slang emits, in a kernel
// whose answer is known. Kernels run in three blocks.

#include "cuda_kernels.h"

using namespace slimgrad;

namespace {

/// A kernel of one block size with this body, and a buffer `o`.
std::string kernel(const std::string& threads, const std::string& body,
                   const std::string& globals = "") {
    return globals + R"(
RWStructuredBuffer<float> o;
[shader("compute")] [numthreads()" + threads + R"()]
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
    const std::size_t row = 64;
    CHECK(out.at("a")[1] == 3);
    CHECK(out.at("v")[3 * 2] == 2);
    CHECK(out.at("v")[3 * 2 + 1] == 2);
    CHECK(out.at("v")[3 * 2 + 2] == row);
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
