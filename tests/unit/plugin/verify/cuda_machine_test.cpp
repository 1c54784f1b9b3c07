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
