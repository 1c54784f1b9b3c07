// How the runner runs CUDA kernels: blocks, order of threads, sanitized builds.

#include "cuda_kernels.h"
#include "plugin/verify/cpp_text.h"
#include "plugin/verify/cpu_library.h"
#include "plugin/verify/kernel_run.h"
#include "plugin/verify/make_plan.h"

#include <cmath>

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

KernelRun run(const std::string& shader, CpuBuild build, std::uint32_t samples = 2,
              const VerifyOptions& options = {}) {
    const CpuVariant& variant = cuda_variant(shader);
    const std::string function = code_name(variant.reflection, "gradMain");
    PlanRequest request;
    request.reflection = &variant.reflection;
    request.entry_point = "gradMain";
    request.options = &options;
    request.elements = 64;
    request.machine = Machine::cuda;
    request.use = cuda_use(variant.code);
    const Result<InputPlan> plan = make_plan(request);
    REQUIRE_MESSAGE(plan, plan.error().message);
    const Result<TemporaryDirectory> folder = TemporaryDirectory::create();
    REQUIRE(folder);
    CpuLibraries libraries("g++", folder->path());
    const auto compiled =
        libraries.compile({library_text(variant.code, Machine::cuda)}, options.limits, build);
    REQUIRE(compiled);
    REQUIRE_MESSAGE(!compiled->front().path.empty(), compiled->front().rejection.message);
    KernelRunner runner(SLIMGRAD_BUILD_DIR "/slimgrad-run");
    const Result<KernelRun> result =
        runner.run({compiled->front().path, function, 0, samples, build}, *plan, options.limits);
    REQUIRE_MESSAGE(result, result.error().message);
    return *result;
}

std::string reversal(const std::string& barrier) {
    return "groupshared float tile[32]; RWStructuredBuffer<float> o;\n"
           "[shader(\"compute\")] [numthreads(32,1,1)]\n"
           "void gradMain(uint gi : SV_GroupIndex)\n{\n"
           "    tile[gi] = gi;\n" +
           barrier + "    o[gi] = tile[31 - gi];\n}\n";
}

/// What the sample wrote to element i of `o`.
double written(const KernelRun& run, std::uint32_t sample, std::uint64_t index) {
    for (const BufferChanges& changes : run.changes)
        for (const Change& change : changes.changes)
            if (changes.sample == sample && change.index == index)
                return value_of_bits(change.after, ScalarKind::float32);
    return -1;
}

} // namespace

TEST_CASE("threads run in both orders: a missing barrier shows in one of them") {
    const KernelRun right =
        run(reversal("    GroupMemoryBarrierWithGroupSync();\n"), CpuBuild::plain);
    CHECK(written(right, 0, 3) == 28);
    CHECK(written(right, 1, 3) == 28);
    CHECK(written(right, 1, 28) == 3);
    const KernelRun wrong = run(reversal(""), CpuBuild::plain);
    CHECK(written(wrong, 0, 28) == 3);
    CHECK(written(wrong, 1, 3) == 28);
    CHECK(std::isnan(written(wrong, 0, 3)));
    CHECK(std::isnan(written(wrong, 1, 28)));
}

TEST_CASE("a sanitized kernel with barriers runs to its end") {
    const KernelRun result =
        run(reversal("    GroupMemoryBarrierWithGroupSync();\n"), CpuBuild::sanitized);
    CHECK(result.failure == "");
    CHECK(written(result, 0, 3) == 28);
}

TEST_CASE("a sanitized kernel that leaves an array is stopped, with its place") {
    const std::string leaving = R"(RWStructuredBuffer<float> o; StructuredBuffer<int> n;
[shader("compute")] [numthreads(4,1,1)]
void gradMain(uint gi : SV_GroupIndex)
{
    float a[4] = {1, 2, 3, 4};
    GroupMemoryBarrierWithGroupSync();
    a[n[gi]] = 5;
    o[gi] = a[n[gi] % 4] + a[0];
})";
    VerifyOptions options;
    options.ranges = {{"n", {7, 7}}};
    const KernelRun result = run(leaving, CpuBuild::sanitized, 1, options);
    CHECK(result.end == KernelRun::End::failed);
    CHECK(result.failure.starts_with("was stopped by "));
    CHECK(result.place.file.ends_with("k.slang"));
    CHECK(result.place.line == 7);
}

TEST_CASE("a kernel may use half a megabyte of stack") {
    const std::string large = R"(RWStructuredBuffer<float> o;
[shader("compute")] [numthreads(64,1,1)]
void gradMain(uint gi : SV_GroupIndex)
{
    float a[100000];
    for (int i = 0; i < 100000; ++i) a[i] = i + gi;
    GroupMemoryBarrierWithGroupSync();
    o[gi] = a[99999 - int(o[63]) % 2];
})";
    const KernelRun result = run(large, CpuBuild::plain, 1);
    CHECK(result.failure == "");
    CHECK(written(result, 0, 1) >= 99998);
}
