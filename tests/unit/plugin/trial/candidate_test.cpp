#include "plugin/trial/trial.h"

#include "temporary_folder.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>

using namespace slimgrad;

namespace {

constexpr const char* kernel = R"(RWStructuredBuffer<float> outb;
StructuredBuffer<float> gW;
[Differentiable]
float f(float x)
{
    float s = x;
    [MaxIters(24)]
    for (int k = 0; k < 24; ++k) // slimgrad: off(loop-replay)
        s = s + 0.1f * sin(s * gW[k]);
    return s;
}
[shader("compute")]
[numthreads(1, 1, 1)]
void gradMain(uint3 tid : SV_DispatchThreadID)
{
    var p = diffPair(outb[0], 0.f);
    bwd_diff(f)(p, 1.f);
    outb[16] = p.d;
}
)";

} // namespace

TEST_SUITE("plugin/trial/candidate") {
    TEST_CASE("a fix whose nvcc somebody kills each time is not said not to compile") {
        const TemporaryFolder folder, tools;
        Result<CudaToolkit> toolkit = CudaToolkit::find();
        REQUIRE(toolkit);
        // Only the text with the fix has this function.
        const std::string nvcc =
            tools.write("nvcc", "#!/bin/sh\nfor text; do :; done\n"
                                "grep -q slimgrad_read_gW \"$text\" && kill -KILL $$\nexec \"" +
                                    toolkit->nvcc + "\" \"$@\"\n");
        std::filesystem::permissions(nvcc, std::filesystem::perms::owner_all);
        toolkit->nvcc = nvcc;
        const auto pool = TrialPool::start({1,
                                            *toolkit,
                                            {SLIMGRAD_BUILD_DIR "/slimgrad-slang", {}},
                                            {"g++", SLIMGRAD_BUILD_DIR "/slimgrad-run"}});
        REQUIRE(pool);
        TrialOptions options;
        options.slang_arguments = {"-O3"};
        const Result<ModuleReport> report = improve_module(
            **pool, {folder.write("k.slang", kernel), folder.path().string(), options});
        REQUIRE_MESSAGE(report, report.error().message);
        CHECK(report->changed.empty());
        const auto tried =
            std::find_if(report->tried.begin(), report->tried.end(), [](const TriedFix& t) {
                return t.fix.description.find("slimgrad_read_gW") != std::string::npos;
            });
        REQUIRE(tried != report->tried.end());
        CHECK(tried->outcome == Outcome::not_measured);
        CHECK(tried->why.starts_with("nvcc: nvcc was killed from outside"));
    }
}
