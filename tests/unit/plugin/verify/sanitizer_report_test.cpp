#include "plugin/verify/kernel_run.h"
#include "plugin/verify/make_plan.h"
#include "plugin/verify/sanitizer_report.h"

#include "cpu_kernels.h"

#include <doctest/doctest.h>

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

/// Runs the kernel's sanitized build where the input that sets its trip count is 12.
KernelRun run_sanitized(const std::string& shader) {
    const CpuVariant& variant = cpu_variant(shader);
    const std::string function = code_name(variant.reflection, "gradMain");
    VerifyOptions options;
    options.ranges = {{"outb[1]", {12, 12}}};
    const std::set<std::string> globals{"outb_0"};
    PlanRequest request;
    request.reflection = &variant.reflection;
    request.entry_point = "gradMain";
    request.options = &options;
    request.elements = 64;
    request.used_globals = &globals;
    const Result<InputPlan> plan = make_plan(request);
    REQUIRE_MESSAGE(plan, plan.error().message);
    const Result<TemporaryDirectory> folder = TemporaryDirectory::create();
    REQUIRE(folder);
    CpuLibraries libraries("g++", folder->path());
    const auto compiled = libraries.compile({variant.code}, options.limits, CpuBuild::sanitized);
    REQUIRE(compiled);
    REQUIRE_MESSAGE(!compiled->front().path.empty(), compiled->front().rejection.message);
    KernelRunner runner(SLIMGRAD_BUILD_DIR "/slimgrad-run");
    const Result<KernelRun> run = runner.run(
        {compiled->front().path, function, 0, 4, CpuBuild::sanitized}, *plan, options.limits);
    REQUIRE_MESSAGE(run, run.error().message);
    return *run;
}

std::string bounded_loop(int bound) {
    return "RWStructuredBuffer<float> outb;\n"
           "[Differentiable]\n"
           "float relax(float x, no_diff int steps)\n"
           "{\n"
           "    float v = x;\n"
           "    [MaxIters(" +
           std::to_string(bound) +
           ")]\n"
           "    for (int k = 0; k < steps; ++k)\n"
           "        v = v * (1.2f - 0.1f * v);\n"
           "    return v;\n"
           "}\n"
           "[shader(\"compute\")][numthreads(1,1,1)]\n"
           "void gradMain(uint3 tid : SV_DispatchThreadID)\n"
           "{\n"
           "    var p = diffPair(outb[0], 0.f);\n"
           "    bwd_diff(relax)(p, int(outb[1]), 1.f);\n"
           "    outb[16] = p.d;\n"
           "}\n";
}

} // namespace

TEST_CASE("sanitized kernel: a bound that is too small is named with its line") {
    const KernelRun run = run_sanitized(bounded_loop(4));
    CHECK(run.end == KernelRun::End::failed);
    CAPTURE(run.failure);
    CHECK((run.failure.starts_with("was stopped by AddressSanitizer: stack-buffer-overflow") ||
           run.failure.starts_with(
               "was stopped by UndefinedBehaviorSanitizer: index 6 out of bounds")));
    CHECK(run.place.file.ends_with("k.slang"));
    // The loop, or the function whose values it stores: both are of relax.
    CHECK(run.place.line >= 3);
    CHECK(run.place.line <= 9);
    CHECK(run.sample == 0);
}

TEST_CASE("sanitized kernel: a bound that holds") {
    const KernelRun run = run_sanitized(bounded_loop(12));
    CHECK(run.failure == "");
    CHECK(run.end == KernelRun::End::done);
    CHECK(run.changes.size() == 4);
}

TEST_CASE("read_sanitizer_report: the innermost function of the shader") {
    const std::string undefined =
        "/t/kernel-3.cpp:2199:17: runtime error: index 6 out of bounds for type 'float [6]'\n"
        "#0 |/t/kernel-3.so|/t/kernel-3.cpp|2199\n"
        "#1 |/t/kernel-3.so|/t/hlsl.meta.slang|10120\n"
        "#2 |/t/kernel-3.so|/t/core|93\n"
        "#3 |/b/slimgrad-run|/b/other.slang|4\n"
        "#4 |/t/kernel-3.so|/t/k.slang|7\n"
        "#5 |/t/kernel-3.so|/t/k.slang|14\n";
    const auto report = read_sanitizer_report(undefined, "/t/kernel-3.so");
    REQUIRE(report);
    CHECK(report->kind == "UndefinedBehaviorSanitizer: index 6 out of bounds for type 'float [6]'");
    CHECK(report->place == Place{"k.slang", 7, 0});

    const std::string address =
        "=================================================================\n"
        "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000020 at pc 0x7f\n"
        "WRITE of size 4 at 0x602000000020 thread T0\n"
        "#0 |/t/kernel-3.so|/p/k.slang|9\n";
    const auto overflow = read_sanitizer_report(address, "/t/kernel-3.so");
    REQUIRE(overflow);
    CHECK(overflow->kind == "AddressSanitizer: heap-buffer-overflow, WRITE of size 4");
    CHECK(overflow->place == Place{"/p/k.slang", 9, 0});

    CHECK_FALSE(read_sanitizer_report("slimgrad-run: no such library\n", "/t/kernel-3.so"));
    CHECK(read_sanitizer_report(
              "==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x7)\n",
              "/t/kernel-3.so")
              ->place.line == 0);
}
