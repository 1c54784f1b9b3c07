#include "plugin/cli/tune_run.h"

#include "plugin/cli/input_files.h"
#include "plugin/cli/tune_report.h"
#include "temporary_folder.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

/// A read that is stored each trip: `tune` reads it through a helper of its own.
constexpr const char* header = R"(StructuredBuffer<float> gW;
[Differentiable]
float march(float x)
{
    float s = x;
    [MaxIters(24)]
    for (int k = 0; k < 24; ++k) // slimgrad: off(loop-replay)
        s = s + 0.1f * sin(s * gW[k]);
    return s;
}
)";

constexpr const char* kernel = R"(#include "march.slangh"
RWStructuredBuffer<float> outb;
[shader("compute")]
[numthreads(1, 1, 1)]
void gradMain(uint3 tid : SV_DispatchThreadID)
{
    var p = diffPair(outb[0], 0.f);
    bwd_diff(march)(p, 1.f);
    outb[16] = p.d;
}
)";

std::vector<TuneRun> tune(const std::vector<std::string>& files) {
    CommandLine line;
    line.command = Command::tune;
    line.jobs = 2;
    Result<std::vector<TuneRun>> runs = run_tuning(line, collect_inputs(files).files);
    REQUIRE_MESSAGE(runs, runs.error().message);
    for (const TuneRun& run : *runs)
        REQUIRE_MESSAGE(run.report, run.report.error().message);
    return std::move(*runs);
}

} // namespace

TEST_CASE("a tuning that breaks another user of its header is withdrawn") {
    const TemporaryFolder folder;
    folder.write("slimgrad.toml", "");
    folder.write("march.slangh", header);
    const std::string file = folder.write("k.slang", kernel);
    // Not given, and compiles only as long as the header has no function of this name.
    const std::string other = folder.write(
        "other.slang", std::string(kernel) + "float slimgrad_read_gW(uint i) { return 1.f; }\n");

    const std::vector<TuneRun> runs = tune({file});
    REQUIRE(runs.size() == 1);
    const TuneReport& report = *runs[0].report;
    REQUIRE(runs[0].withdrawn.find("bad for other.slang, which uses the same file") == 0);
    CHECK(report.changed.empty());
    CHECK(report.kept.empty());
    CHECK_FALSE(report.after);
    CHECK(runs[0].modules[0].report->changed.empty());
    const auto is_withdrawn = [&](const TriedFix& tried) {
        return tried.outcome == Outcome::withdrawn && tried.why == runs[0].withdrawn;
    };
    CHECK(std::any_of(report.tried.begin(), report.tried.end(), is_withdrawn));
    CHECK(std::none_of(report.tried.begin(), report.tried.end(),
                       [](const TriedFix& tried) { return tried.outcome == Outcome::applied; }));
    CHECK(tune_text(runs[0], {}).find("nothing is changed: bad for other.slang") !=
          std::string::npos);

    // Without that user the same is kept.
    std::filesystem::remove(other);
    CHECK_FALSE(tune({file})[0].report->changed.empty());
}

TEST_CASE("a module without kernels has no say in its group") {
    const TemporaryFolder folder;
    folder.write("slimgrad.toml", "");
    folder.write("march.slangh", header);
    const std::string file = folder.write("k.slang", kernel);
    const std::string library =
        folder.write("library.slang", "#include \"march.slangh\"\n[Differentiable]\nfloat "
                                      "twice(float x) { return 2 * march(x); }\n");
    const std::vector<TuneRun> runs = tune({library, file});
    REQUIRE(runs.size() == 1);
    REQUIRE(runs[0].modules.size() == 2);
    const TuneReport& report = *runs[0].report;
    CHECK(report.changed.size() == 1);
    REQUIRE(report.verified);
    CHECK(report.verified->verdict == Verdict::equal);
    for (const TriedFix& tried : report.tried)
        CHECK(tried.outcome != Outcome::does_not_compile);
}
