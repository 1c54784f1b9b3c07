#include "plugin/trial/trial.h"

#include "shared_pool.h"
#include "temporary_folder.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>
#include <string>

using namespace slimgrad;

namespace {

/// A loop that stores what it reads of a buffer.
constexpr const char* kernel = R"(RWStructuredBuffer<float> outb;
StructuredBuffer<float> gW;
[Differentiable]
float f(float x)
{
    float s = x;
    [MaxIters(24)]
    for (int k = 0; k < 24; ++k) // slimgrad: off(loop-replay) slimgrad: off(loop-split)
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

/// The report on the text under these options, by the real compilers.
ModuleReport improve(const std::string& text, TrialOptions options = {},
                     bool examine_only = false) {
    const TemporaryFolder folder;
    const std::string file = folder.write("k.slang", text);
    options.slang_arguments = {"-O3"};
    const TrialModule module{file, folder.path().string(), options};
    const Result<ModuleReport> report =
        examine_only ? examine_module(pool(), module) : improve_module(pool(), module);
    REQUIRE_MESSAGE(report, report.error().message);
    std::ifstream written(file);
    CHECK(std::string(std::istreambuf_iterator<char>(written), {}) ==
          text); // a trial writes nothing
    return *report;
}

const TriedFix& tried(const ModuleReport& report, const std::string& description) {
    const auto found =
        std::find_if(report.tried.begin(), report.tried.end(), [&](const TriedFix& t) {
            return t.fix.description.find(description) != std::string::npos;
        });
    REQUIRE_MESSAGE(found != report.tried.end(), "not tried: " << description);
    return *found;
}

std::string edited(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

} // namespace

TEST_SUITE("plugin/trial/trial") {
    TEST_CASE("a fix that makes the kernel cheaper is applied with its evidence") {
        const ModuleReport report = improve(kernel);
        const TriedFix& fix = tried(report, "slimgrad_read_gW");
        CHECK(fix.outcome == Outcome::applied);
        REQUIRE(fix.evidence.after);
        CHECK(fix.evidence.after->checkpoint_bytes < fix.evidence.before.checkpoint_bytes);
        CHECK(compare(fix.evidence.before, *fix.evidence.after).change == Change::better);
        REQUIRE(fix.evidence.verified);
        CHECK(fix.evidence.verified->verdict == Verdict::equal);
        CHECK(fix.evidence.verified->bit_equal);
        REQUIRE(report.changed.size() == 1);
        CHECK(report.changed.begin()->second.find("slimgrad_read_gW(k)") != std::string::npos);
        REQUIRE(report.verified);
        CHECK(report.verified->verdict == Verdict::equal);
        REQUIRE(report.after);

        // What is there now has nothing left to fix.
        const ModuleReport again = improve(report.changed.begin()->second);
        CHECK(again.changed.empty());
        CHECK(again.before.checkpoint_bytes == report.after->checkpoint_bytes);
    }

    TEST_CASE("a report changes nothing") {
        const ModuleReport report = improve(kernel, {}, true);
        CHECK(report.tried.empty());
        CHECK(report.changed.empty());
        CHECK_FALSE(report.after);
        REQUIRE(report.findings.size() == 1);
        CHECK(report.findings[0].rule == "prefer-recompute");
        REQUIRE(report.before.kernels.size() == 1);
        CHECK(report.before.kernels[0].name == "gradMain");
        CHECK(report.before.kernels[0].direction == Direction::backward);
        CHECK(report.before.checkpoint_bytes > 0);
    }

    TEST_CASE("where nothing is worth storing less, nothing is applied") {
        // The helper is recomputed as it is.
        const ModuleReport report = improve(edited(
            edited(
                kernel, "[Differentiable]\nfloat f",
                "[Differentiable] float g(float x) { return sin(x); }\n[Differentiable]\nfloat f"),
            "sin(s * gW[k])", "g(s * 0.5f)"));
        CHECK(report.changed.empty());
        for (const TriedFix& fix : report.tried)
            CHECK(fix.outcome != Outcome::applied);
    }

    TEST_CASE("a module that does not compile is a report") {
        const ModuleReport report = improve(edited(kernel, "return s;", "return nothing;"));
        CHECK(report.compiled.status == CompileStatus::rejected);
        CHECK_FALSE(report.compiled.diagnostics.empty());
        CHECK(report.changed.empty());
        CHECK(report.tried.empty());
    }

    TEST_CASE("a missing file is an error") {
        CHECK_FALSE(improve_module(pool(), {"/nowhere/k.slang", "/", {}}));
    }

    TEST_CASE("unsafe fixes need consent") {
        const std::string tensors =
            "[AutoPyBindCUDA] [CUDAKernel] [Differentiable]\n"
            "void squares(DiffTensorView<float> from, DiffTensorView<float> to)\n{\n"
            "    uint t = (cudaBlockIdx() * cudaBlockDim() + cudaThreadIdx()).x;\n"
            "    float s = 0.f;\n    [MaxIters(24)]\n    for (int k = 0; k < 24; ++k) // slimgrad: "
            "off(loop-replay)\n    {\n"
            "        uint i = t * 24 + uint(k);\n        float v = from.loadOnce(i);\n        s += "
            "v * v * v;\n    }\n"
            "    to.storeOnce(t, s);\n}\n";
        const ModuleReport without = improve(tensors);
        CHECK(without.changed.empty());
        const TriedFix& fix = tried(without, "slimgrad_loadOnce_from");
        CHECK(fix.fix.applicability == Applicability::unsafe);
        CHECK_FALSE(fix.fix.condition.empty());
        TrialOptions consent;
        consent.unsafe_fixes = true;
        const ModuleReport with = improve(tensors, consent);
        CHECK(tried(with, "slimgrad_loadOnce_from").outcome == Outcome::applied);
        CHECK_FALSE(with.changed.empty());
    }
}
