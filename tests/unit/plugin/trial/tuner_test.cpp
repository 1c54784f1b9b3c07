#include "plugin/trial/tune.h"

#include "shared_pool.h"
#include "temporary_folder.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

/// Two kernels may share the helper: `scale` only reads, `march` stores what it gives each trip.
constexpr const char* helper = R"(StructuredBuffer<float> gW;
[Differentiable]
float scale(float s, int k) { return s * gW[k]; }
[Differentiable]
float march(float x)
{
    float s = x;
    [MaxIters(24)]
    for (int k = 0; k < 24; ++k) // slimgrad: off(loop-replay)
        s = s + 0.1f * sin(scale(s, k));
    return s;
}
)";

constexpr const char* kernel = R"(RWStructuredBuffer<float> outb;
[shader("compute")]
[numthreads(1, 1, 1)]
void gradMain(uint3 tid : SV_DispatchThreadID)
{
    var p = diffPair(outb[0], 0.f);
    bwd_diff(march)(p, 1.f);
    outb[16] = p.d;
}
)";

/// Functions like march, each of its own, that do not call each other.
std::string many_sites(int sites) {
    std::string text = "StructuredBuffer<float> gW;\n", sum;
    for (int i = 0; i < sites; ++i) {
        const std::string n = std::to_string(i);
        text += "[Differentiable] float scale" + n + "(float s, int k) { return s * gW[k + " + n +
                "]; }\n" + "[Differentiable]\nfloat march" + n +
                "(float x)\n{\n    float s = x;\n" +
                "    [MaxIters(20)]\n    for (int k = 0; k < 20; ++k)\n        s = s + 0.1f * " +
                "sin(scale" + n + "(s, k)); // slimgrad: off(loop-replay)\n    return s;\n}\n";
        sum += (i ? " + " : "") + ("march" + n + "(x)");
    }
    text += "[Differentiable]\nfloat march(float x) { return " + sum + "; }\n";
    return text;
}

TrialOptions options() {
    TrialOptions o;
    o.slang_arguments = {"-O3"};
    o.searching = true;
    return o;
}

TuneReport tune(const TemporaryFolder& folder, const std::vector<std::string>& files,
                const TrialOptions& how = options()) {
    std::vector<TrialModule> modules;
    for (const std::string& file : files)
        modules.push_back({file, folder.path().string(), how});
    Result<TuneReport> report = tune_modules(pool(), modules);
    REQUIRE_MESSAGE(report, report.error().message);
    return std::move(*report);
}

bool is_kept(const TuneReport& report, const std::string& description) {
    return std::any_of(report.kept.begin(), report.kept.end(), [&](const TriedFix& kept) {
        return kept.fix.description.find(description) != std::string::npos;
    });
}

} // namespace

TEST_SUITE("plugin/trial/tuner") {
    TEST_CASE("what is better is kept with its evidence, and nothing that does nothing") {
        const TemporaryFolder folder;
        const std::string file = folder.write("k.slang", std::string(helper) + kernel);
        const TuneReport report = tune(folder, {file});
        REQUIRE(report.after);
        CHECK(compare(report.before, *report.after).change == Change::better);
        REQUIRE(report.verified);
        CHECK(report.verified->verdict == Verdict::equal);
        CHECK(is_kept(report, "read 'gW' through a recomputed helper"));
        CHECK_FALSE(report.combinations.empty());
        CHECK_FALSE(report.out_of_time);
        // Each fix that is kept is needed.
        for (const TriedFix& kept : report.kept) {
            REQUIRE(kept.evidence.after);
            CHECK(kept.outcome == Outcome::applied);
        }
        // On its own result it keeps nothing.
        const std::string again = folder.write("again.slang", report.changed.begin()->second);
        CHECK(tune(folder, {again}).changed.empty());
    }

    TEST_CASE("the same whatever the number of workers") {
        const TemporaryFolder folder;
        const std::string file = folder.write("k.slang", std::string(helper) + kernel);
        const auto alone = TrialPool::start({1,
                                             pool().toolkit(),
                                             {SLIMGRAD_BUILD_DIR "/slimgrad-slang", {}},
                                             {"g++", SLIMGRAD_BUILD_DIR "/slimgrad-run"}});
        REQUIRE(alone);
        const Result<TuneReport> one =
            tune_modules(**alone, {{file, folder.path().string(), options()}});
        REQUIRE(one);
        const TuneReport two = tune(folder, {file});
        CHECK(one->changed == two.changed);
        REQUIRE(one->combinations.size() == two.combinations.size());
        for (std::size_t i = 0; i < two.combinations.size(); ++i) {
            CHECK(one->combinations[i].fixes == two.combinations[i].fixes);
            CHECK(one->combinations[i].why == two.combinations[i].why);
        }
    }

    TEST_CASE("no time: the first few fixes, and what is better of them") {
        const TemporaryFolder folder;
        const std::string file = folder.write("k.slang", many_sites(3) + kernel);
        TrialOptions hurried = options();
        hurried.time_limit = std::chrono::milliseconds(0);
        const TuneReport report = tune(folder, {file}, hurried);
        CHECK(report.out_of_time);
        REQUIRE_FALSE(report.combinations.empty());
        CHECK(report.combinations.size() < 9); // there are as many fixes
    }

    TEST_CASE("sites far from each other are taken together, not paired") {
        const TemporaryFolder folder;
        constexpr int sites = 3;
        const std::string file = folder.write("k.slang", many_sites(sites) + kernel);
        TrialOptions patient = options();
        patient.time_limit = std::chrono::minutes(10);
        const TuneReport report = tune(folder, {file}, patient);
        CHECK_FALSE(report.out_of_time);
        REQUIRE(report.after);
        CHECK(report.kept.size() == sites);
        // Three helpers for one buffer are one.
        const std::string& changed = report.changed.begin()->second;
        const auto helper_at = changed.find("float slimgrad_read_gW(");
        REQUIRE(helper_at != changed.npos);
        CHECK(changed.find("float slimgrad_read_gW(", helper_at + 1) == changed.npos);
        for (const TriedCombination& tried : report.combinations)
            if (tried.fixes.size() == 2)
                CHECK_MESSAGE(tried.outcome != Outcome::does_not_compile, tried.why);
        CHECK(report.combinations.size() < 60);
    }

    TEST_CASE("a budget that is met already asks for nothing") {
        const TemporaryFolder folder;
        const std::string file = folder.write("k.slang", std::string(helper) + kernel);
        TrialOptions generous = options();
        generous.objective.budget = {{Figure::registers, 255}};
        CHECK(tune(folder, {file}, generous).changed.empty());
        TrialOptions strict = options();
        strict.objective.budget = {{Figure::local_memory, 200}};
        const TuneReport report = tune(folder, {file}, strict);
        REQUIRE(report.after);
        CHECK(excess(*report.after, strict.objective) == 0);
        CHECK(report.kept.size() == 1);
    }

    TEST_CASE("kernels that share a header are tuned together, and it is edited once") {
        const TemporaryFolder folder;
        folder.write("helper.slangh", helper);
        const std::string text = std::string("#include \"helper.slangh\"\n") + kernel;
        const std::string a = folder.write("a.slang", text);
        const std::string b = folder.write("b.slang", text);
        const std::string c = folder.write("c.slang", std::string(helper) + kernel);
        std::vector<TrialModule> modules;
        for (const std::string& file : {a, c, b})
            modules.push_back({file, folder.path().string(), options()});
        const auto groups = module_groups(pool(), modules);
        REQUIRE(groups);
        CHECK(*groups == std::vector<std::vector<std::size_t>>{{0, 2}, {1}});

        const TuneReport report = tune(folder, {a, b});
        REQUIRE(report.changed.size() == 1);
        CHECK(report.changed.begin()->first.ends_with("helper.slangh"));
        REQUIRE(report.modules.size() == 2);
        for (const ModuleReport& module : report.modules) {
            REQUIRE(module.after);
            CHECK(compare(module.before, *module.after).change == Change::better);
        }
        REQUIRE(report.after);
        CHECK(report.after->kernels.size() == 2);
        CHECK(report.after->kernels[0].name == "a.slang: gradMain");
    }

    TEST_CASE("what the kernel itself writes is not read again") {
        const TemporaryFolder folder;
        std::string text = std::string(helper) + kernel;
        text.replace(text.find("StructuredBuffer"), 0, "RW");
        text.replace(text.find("outb[16]"), 8, "gW[0]");
        const std::string file = folder.write("k.slang", text);
        CHECK(tune(folder, {file}).kept.empty());
    }

    TEST_CASE("what does not compile is not tuned") {
        const TemporaryFolder folder;
        const std::string file = folder.write("k.slang", "void f() { return nothing; }\n");
        const TuneReport report = tune(folder, {file});
        CHECK(report.changed.empty());
        CHECK(report.modules.front().compiled.status == CompileStatus::rejected);
    }
}
