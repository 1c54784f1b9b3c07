#include "plugin/verify/derivative_verdict.h"

#include <doctest/doctest.h>

using namespace slimgrad;
using namespace slimgrad::verify;
using Kind = DerivativeVerdict::Kind;

namespace {

DifferentiatedCall call(const std::string& function, StepState differences,
                        StepState dot_product = StepState::passed) {
    DifferentiatedCall result;
    result.function = function;
    result.place = {"k.slang", 7, 3};
    result.dot_product = {Step::dot_product, dot_product, "", std::chrono::milliseconds(2)};
    result.differences = {Step::differences, differences, "", std::chrono::milliseconds(3)};
    result.samples = 32;
    if (differences == StepState::failed) {
        result.backward = 3;
        result.central_difference = 1.5;
        result.mismatches = 31;
        result.sample = 4;
    }
    return result;
}

} // namespace

TEST_CASE("no call says nothing") {
    CHECK(judge({}).kind == Kind::cannot_tell);
    for (const StepReport& step : derivative_steps({}))
        CHECK(step.state == StepState::not_applicable);
}

TEST_CASE("one wrong call makes all wrong, with the numbers that were seen") {
    const DerivativeVerdict verdict =
        judge({call("f", StepState::passed), call("g", StepState::failed)});
    CHECK(verdict.kind == Kind::wrong);
    CHECK(verdict.reason ==
          "bwd_diff(g) gives 3 where central differences give 1.5 (input 4, on 31 "
          "of 32 inputs)");
    CHECK(verdict.place.line == 7);
}

TEST_CASE("one call that cannot be told leaves it open, but not what is wrong") {
    DifferentiatedCall open = call("g", StepState::not_applicable);
    open.differences.detail = "g writes gState";
    CHECK(judge({call("f", StepState::passed), open}).kind == Kind::cannot_tell);
    CHECK(judge({call("f", StepState::passed), open}).reason.find("g writes gState") !=
          std::string::npos);
    CHECK(judge({call("f", StepState::failed), open}).kind == Kind::wrong);
}

TEST_CASE("a cut that explains the mismatch may be meant") {
    DifferentiatedCall cut = call("f", StepState::failed);
    cut.cuts.push_back({"k.slang", 3, 9});
    CHECK(judge({cut}).kind == Kind::cut);
    CHECK(judge({cut}).place.line == 3);
    CHECK(judge({cut, call("g", StepState::failed)}).kind == Kind::wrong);
}

TEST_CASE("a custom derivative that is off by little may be meant") {
    DifferentiatedCall off = call("f", StepState::failed);
    off.custom_derivatives.push_back("fBackward");
    off.typical_mismatch = 0.004;
    CHECK(judge({off}).kind == Kind::cannot_tell);
    CHECK(judge({off}).reason.find("fBackward, the custom derivative, is off by 0.4 % at most") !=
          std::string::npos);
    off.typical_mismatch = 0.03;
    CHECK(judge({off}).kind == Kind::wrong);
    off.typical_mismatch = 0.004;
    off.custom_derivatives.clear(); // what slangc generates is not meant to be off
    CHECK(judge({off}).kind == Kind::wrong);
}

TEST_CASE("a gradient that is lost in the kernel's own precision leaves it open") {
    DifferentiatedCall lost = call("f", StepState::passed);
    lost.lost = "gGrad[0] is 0 as the kernel computes it and 0.0003 in double";
    CHECK(judge({lost}).kind == Kind::cannot_tell);
    CHECK(judge({lost}).reason.find("gGrad[0] is 0") != std::string::npos);
}

TEST_CASE("a dot product alone does not say which side is wrong") {
    const DerivativeVerdict right = judge({call("f", StepState::passed, StepState::failed)});
    CHECK(right.kind == Kind::right);
    CHECK(right.reason.find("fwd_diff(f), which backward kernels do not use, does not") !=
          std::string::npos);
    const DerivativeVerdict verdict =
        judge({call("f", StepState::not_applicable, StepState::failed)});
    CHECK(verdict.kind == Kind::cannot_tell);
    CHECK(verdict.reason.find("bwd_diff(f) and fwd_diff(f) disagree") != std::string::npos);
}

TEST_CASE("steps of several calls: what failed stands before what passed, times add up") {
    const auto steps = derivative_steps(
        {call("f", StepState::passed), call("g", StepState::failed, StepState::not_applicable)});
    REQUIRE(steps.size() == 2);
    CHECK(steps[0].step == Step::dot_product);
    CHECK(steps[0].state == StepState::passed);
    CHECK(steps[1].state == StepState::failed);
    CHECK(steps[1].detail == "bwd_diff(g)");
    CHECK(steps[1].duration.count() == 6);
}

TEST_CASE("a buffer whose gradient was not checked leaves it open, with the line to write") {
    DifferentiatedCall call_with_weights = call("f", StepState::passed);
    call_with_weights.unpaired.push_back("gW");
    const DerivativeVerdict verdict = judge({call_with_weights});
    CHECK(verdict.kind == Kind::cannot_tell);
    CHECK(verdict.reason.find("give `gradient.gW = \"BUFFER\"` in slimgrad.toml") !=
          std::string::npos);
}
