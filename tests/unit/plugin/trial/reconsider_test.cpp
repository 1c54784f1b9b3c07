#include "plugin/trial/tune.h"

#include "shared_pool.h"
#include "temporary_folder.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;

namespace {

/// `weight` is marked, although what it gives is one number, and computing it twice is code.
constexpr const char* kernel = R"(StructuredBuffer<float> gW;
[PreferRecompute(SideEffectBehavior.Allow)]
float weight(int k)
{
    float a = 0.f;
    for (int i = 0; i < 40; ++i)
        a = sin(a * float(k) + gW[i]) * cos(a) + 0.5f * tanh(a * gW[i + 1]);
    return a;
}
[Differentiable]
float march(float x)
{
    float s = x;
    [MaxIters(4)]
    for (int k = 0; k < 4; ++k) // slimgrad: off(loop-replay)
        s = s + 0.1f * sin(s * weight(k));
    return s;
}
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

TuneReport tune(const std::string& text, bool reconsider) {
    const TemporaryFolder folder;
    TrialOptions options;
    options.slang_arguments = {"-O3"};
    options.minor_fixes = true;
    options.objective.order.insert(options.objective.order.begin(), Figure::code_bytes);
    options.reconsider = reconsider;
    options.searching = true;
    Result<TuneReport> report =
        tune_modules(pool(), {{folder.write("k.slang", text), folder.path().string(), options}});
    REQUIRE_MESSAGE(report, report.error().message);
    return std::move(*report);
}

std::size_t times(const TuneReport& report, const std::string& description) {
    return std::size_t(
        std::count_if(report.kept.begin(), report.kept.end(),
                      [&](const TriedFix& kept) { return kept.fix.description == description; }));
}

} // namespace

TEST_SUITE("plugin/trial/reconsider") {
    TEST_CASE("a mark that costs is taken off, on request, and not put back") {
        CHECK(tune(kernel, false).changed.empty());

        const TuneReport report = tune(kernel, true);
        REQUIRE(report.changed.size() == 1);
        const std::string& result = report.changed.begin()->second;
        CHECK(result.find("PreferRecompute") == std::string::npos);
        CHECK(times(report, "take [PreferRecompute(SideEffectBehavior.Allow)] off 'weight'") == 1);
        CHECK(times(report, "mark 'weight' [PreferRecompute(SideEffectBehavior.Allow)]") == 0);
        // On what it made, neither way pays any more.
        for (const bool reconsider : {false, true})
            CHECK(tune(result, reconsider).changed.empty());
    }
}
