#include "attributes/unroll_blowup.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

struct Kernel {
    std::string trips = "24", loop = "[ForceUnroll]", mark = "", body = "s = move(s);";
    std::string use = "bwd_diff(f)(p, 1.f)";

    std::string text() const {
        return "RWStructuredBuffer<float> outb;\n" + mark +
               "[Differentiable] float move(float s) { return s + 0.1f * sin(s); }\n"
               "[Differentiable] float f(float x)\n{\n    float s = x;\n    " +
               loop + "\n    for (int i = 0; i < " + trips + "; ++i)\n        " + body +
               "\n    return s;\n}\n"
               "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p = "
               "diffPair(outb[0], 0.f); " +
               use + "; outb[1] = p.d; }\n";
    }
};

std::vector<Finding> run(const Kernel& kernel, CompileStatus status,
                         const std::string& code = "s_bwdCallableCtx_f_0 _S1;") {
    ModuleText module(kernel.text());
    module.compiled.status = status;
    module.compiled.code = status == CompileStatus::succeeded ? code : "";
    return unroll_blowup(module.input());
}

std::vector<Finding> run_away(const Kernel& kernel) {
    return run(kernel, CompileStatus::timed_out);
}

std::vector<Finding> compiled(const Kernel& kernel) {
    return run(kernel, CompileStatus::succeeded);
}

} // namespace

TEST_SUITE("attributes/unroll_blowup") {
    TEST_CASE("where slangc does not come to an end, the step is stored or the loop replayed") {
        const Kernel kernel;
        const std::vector<Finding> findings = run_away(kernel);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::error);
        CHECK(findings[0].place.line == 7);
        CHECK(findings[0].message ==
              "the 24 trips of the loop over 'i' of 'f' hand a value on "
              "through 'move': slangc's time doubles with every one of them");
        REQUIRE(findings[0].fixes.size() == 2);
        const ModuleText module(kernel.text());
        CHECK(module.after(findings[0].fixes[0])
                  .find("[PreferCheckpoint]\n[Differentiable] float "
                        "move") != std::string::npos);
        CHECK(module.after(findings[0].fixes[1]).find("[MaxIters(24)]\n") != std::string::npos);
        CHECK(run(kernel, CompileStatus::out_of_memory).size() == 1);
        CHECK(run(kernel, CompileStatus::rejected).empty());
        CHECK(run(kernel, CompileStatus::crashed).empty());
    }

    TEST_CASE("a step that must stay recomputed: the loop alone") {
        const std::vector<Finding> findings = run_away({.mark = "[PreferRecompute] "});
        REQUIRE(findings.size() == 1);
        REQUIRE(findings[0].fixes.size() == 1);
        CHECK(findings[0].fixes[0].description ==
              "replay the loop over 'i' of 'f' with [MaxIters(24)]");
    }

    TEST_CASE("a note where slangc took its time and succeeded") {
        const std::vector<Finding> findings = compiled({});
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::note);
        CHECK(findings[0].fixes.empty());
        CHECK(compiled({.trips = "17"}).size() == 1);
        CHECK(compiled({.trips = "16"}).empty());
        CHECK(run({}, CompileStatus::succeeded, "f_0(x)").empty()); // no backward pass of it
    }

    TEST_CASE("what slangc writes out in time") {
        CHECK(run_away({.trips = "12"}).empty());
        CHECK(run_away({.loop = "[MaxIters(24)]"}).empty());
        CHECK(run_away({.mark = "[PreferCheckpoint] "}).empty());
        CHECK(run_away({.body = "s = s + 0.1f * sin(s);"}).empty());
        CHECK(run_away({.body = "s += move(x * float(i));"}).empty());
        CHECK(run_away({.use = "f(p.p)"}).empty());
    }
}
