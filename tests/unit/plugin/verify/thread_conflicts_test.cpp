// Which kernels' threads are said to write one place in no order, through comparisons on the cuda
// machine.

#include "plugin/verify/thread_conflicts.h"

#include "cuda_kernels.h"

#include <algorithm>

using namespace slimgrad;

namespace {

/// 32 threads in each of three blocks; `g` starts as random numbers.
std::string kernel(const std::string& body, const std::string& globals = "") {
    return globals +
           R"(RWStructuredBuffer<float> g; RWStructuredBuffer<uint> n; StructuredBuffer<float> x;
[shader("compute")] [numthreads(32,1,1)]
void main(uint3 tid : SV_DispatchThreadID, uint3 gid : SV_GroupID, uint gi : SV_GroupIndex)
{
)" + body + "\n}\n";
}

VerifyResult compared_threads(const std::string& original, const std::string& rewritten) {
    const VerifyOptions options;
    const Result<VerifyResult> result =
        shared_verifier().compare(cuda_variant(original), cuda_variant(rewritten), "main", options);
    REQUIRE_MESSAGE(result, result.error().message);
    return *result;
}

StepReport threads_step(const VerifyResult& result) {
    const auto found =
        std::find_if(result.steps.begin(), result.steps.end(),
                     [](const StepReport& step) { return step.step == Step::threads; });
    REQUIRE_MESSAGE(found != result.steps.end(), result.reason);
    return *found;
}

/// What is said of a kernel that is compared with itself: as of one that is checked alone.
StepReport alone(const std::string& source) {
    return threads_step(compared_threads(source, source));
}

const std::string atomic_sum = kernel("    float old; InterlockedAdd(g[0], x[tid.x], old);");
const std::string plain_sum = kernel("    g[0] = g[0] + x[tid.x];");

} // namespace

TEST_CASE("an addition that is no longer atomic is not equal") {
    const VerifyResult result = compared_threads(atomic_sum, plain_sum);
    CHECK(result.verdict == Verdict::unverified);
    CHECK(result.reason ==
          "in the rewritten kernel threads 0 and 1 both write g[0] without atomics or a barrier "
          "between them (k.slang:5): on a device updates get lost (input 0, seed 1)");
    CHECK(result.conflict == result.reason);
    CHECK(result.place.line == 5);
    CHECK(threads_step(result).state == StepState::failed);
}

TEST_CASE("a race that the original has, too, is told and decides nothing") {
    const VerifyResult result = compared_threads(plain_sum, kernel("    g[0] += x[tid.x];"));
    CHECK(result.verdict == Verdict::equal);
    CHECK(result.conflict.empty());
    CHECK(threads_step(result).state == StepState::not_applicable);
    CHECK(threads_step(result).detail.starts_with(
        "in both variants threads 0 and 1 both write g[0] "));
    CHECK(threads_step(compared_threads(plain_sum, atomic_sum)).state == StepState::passed);
}

TEST_CASE("alone, only what may be a gradient counts") {
    CHECK(alone(plain_sum).state == StepState::failed);
    CHECK(alone(kernel("    n[0] = n[0] + 1; g[tid.x] = x[tid.x];")).state ==
          StepState::not_applicable);
    CHECK(alone(kernel("    g[gi] += x[tid.x];"))
              .detail.starts_with("thread 0 of group 0 and thread 0 of group 1 both write g[0] "));
}

TEST_CASE("groupshared memory is watched, too") {
    const auto sum = [](const std::string& how) {
        return kernel(
            "    if (gi == 0) sum = 0;\n    GroupMemoryBarrierWithGroupSync();\n    " + how +
                "\n    GroupMemoryBarrierWithGroupSync();\n    if (gi == 0) g[gid.x] = sum;",
            "groupshared float sum;\n");
    };
    const StepReport step = alone(sum("sum += x[tid.x];"));
    CHECK(step.state == StepState::failed);
    CHECK(step.detail.starts_with("threads 0 and 1 both write the groupshared variable sum "));
    CHECK(alone(sum("float old; InterlockedAdd(sum, x[tid.x], old);")).state == StepState::passed);
    CHECK(alone(sum("if (gi == 3) sum += x[tid.x];")).state == StepState::passed);
}

TEST_CASE("alone, what a barrier is missing for changes with the order of the threads") {
    const auto reduction = [](const std::string& barrier) {
        return kernel("    part[gi] = x[tid.x];\n    GroupMemoryBarrierWithGroupSync();\n"
                      "    for (uint s = 16; s > 0; s >>= 1)\n    {\n"
                      "        if (gi < s) part[gi] += part[gi + s];\n        " +
                          barrier + "\n    }\n    if (gi == 0) g[gid.x] = part[0];",
                      "groupshared float part[32];\n");
    };
    const StepReport step = alone(reduction(""));
    CHECK(step.state == StepState::failed);
    CHECK(step.detail.find("by the order in which the threads run") != std::string::npos);
    CHECK(alone(reduction("GroupMemoryBarrierWithGroupSync();")).state == StepState::passed);

    const VerifyResult early =
        compared_threads(kernel("    part[gi] = x[tid.x];\n    g[tid.x] = part[31 - gi];",
                                "groupshared float part[32];\n"),
                         kernel("    part[gi] = x[tid.x];\n    g[tid.x] = part[31 - gi];",
                                "groupshared float part[32];\n"));
    CHECK(early.verdict != Verdict::equal);

    const StepReport neighbour = alone(kernel("    g[tid.x] = x[tid.x] + g[(tid.x + 1) % 96];"));
    CHECK(neighbour.state == StepState::failed);
    CHECK(neighbour.detail.find("one reads what another one writes") != std::string::npos);
}

TEST_CASE("kernels whose threads do not disturb each other are not accused") {
    const auto clean = [](const std::string& body, const std::string& globals = "") {
        const StepReport step = alone(kernel(body, globals));
        CHECK_MESSAGE(step.state == StepState::passed, step.detail);
    };
    SUBCASE("atomics") {
        clean("    float old; InterlockedAdd(g[gi % 4], x[tid.x], old); __atomic_reduce_add(g[7], "
              "x[tid.x]);");
    }
    SUBCASE("a place each") {
        clean("    g[tid.x] += x[tid.x]; g[tid.x] *= 2;");
    }
    SUBCASE("one value") {
        clean("    g[0] = x[3]; g[tid.x + 1] = x[tid.x];");
    }
    SUBCASE("slots from a counter") {
        clean("    uint slot; InterlockedAdd(n[0], 1, slot); g[slot % 96] = x[tid.x];");
    }
    SUBCASE("a lock") {
        clean("    uint old; InterlockedCompareExchange(n[5], 77, 78, old); g[0] += x[tid.x]; "
              "InterlockedExchange(n[5], 77, old);");
    }
    SUBCASE("a reduction in groupshared memory") {
        clean(R"(    tile[gi] = x[tid.x];
    GroupMemoryBarrierWithGroupSync();
    for (uint half = 16; half > 0; half /= 2) {
        if (gi < half) tile[gi] += tile[gi + half];
        GroupMemoryBarrierWithGroupSync();
    }
    if (gi == 0) g[gid.x] = tile[0];)",
              "groupshared float tile[32];\n");
    }
    SUBCASE("turns in device memory, with a barrier between") {
        clean(R"(    g[tid.x] = x[tid.x];
    AllMemoryBarrierWithGroupSync();
    g[gid.x * 32 + (gi + 1) % 32] += x[tid.x];)");
    }
    SUBCASE("a wave's sum") {
        clean("    float s = WaveActiveSum(x[tid.x]); if (WaveIsFirstLane()) g[gid.x] = s;");
    }
    SUBCASE("one group, one thread") {
        const StepReport step = alone(R"(RWStructuredBuffer<float> g; StructuredBuffer<float> x;
[shader("compute")] [numthreads(32,1,1)] void main(uint gi : SV_GroupIndex) { g[gi] += x[gi]; })");
        CHECK_MESSAGE(step.state == StepState::passed, step.detail);
    }
}
