#include "plugin/verify/branch_coverage.h"
#include "plugin/verify/branches_to_cover.h"
#include "plugin/verify/extrema.h"
#include "plugin/verify/kernel_run.h"
#include "plugin/verify/make_plan.h"

#include "cpu_kernels.h"

#include <doctest/doctest.h>

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

/// A differentiated function with this body and the kernel that runs it backward.
std::string kernel(const std::string& body) {
    return "RWStructuredBuffer<float> gOut;\n"
           "StructuredBuffer<float> gIn;\n"
           "[Differentiable] float f(float x, no_diff int n, no_diff float t) {\n" +
           body +
           "\n}\n"
           "[shader(\"compute\")][numthreads(1,1,1)] void gradMain(uint3 tid : "
           "SV_DispatchThreadID) {\n"
           "var p = diffPair(gIn[0]);\n"
           "bwd_diff(f)(p, int(gIn[1]), gIn[2], 1.0f);\n"
           "gOut[0] = p.d;\n"
           "}\n";
}

/// What the inputs of these ranges leave out.
std::string gap(const std::string& shader, const InputRanges& ranges = {},
                const std::set<std::string>& changes = {}) {
    const CpuVariant& variant = cpu_variant(shader);
    const std::string function = code_name(variant.reflection, "gradMain");
    const InstrumentedText text = instrument(variant.code, function);
    VerifyOptions options;
    options.ranges = ranges;
    PlanRequest request;
    request.reflection = &variant.reflection;
    request.entry_point = "gradMain";
    request.options = &options;
    request.elements = 1024;
    request.used_globals = &text.used_globals;
    const Result<InputPlan> plan = make_plan(request);
    REQUIRE_MESSAGE(plan, plan.error().message);
    static const Result<TemporaryDirectory> folder = TemporaryDirectory::create();
    REQUIRE(folder);
    static CpuLibraries libraries("g++", folder->path());
    const auto compiled = libraries.compile({text.code}, options.limits);
    REQUIRE(compiled);
    REQUIRE_MESSAGE(!compiled->front().path.empty(), compiled->front().rejection.message);
    KernelRunner runner(SLIMGRAD_BUILD_DIR "/slimgrad-run");
    const Result<KernelRun> run =
        runner.run({compiled->front().path, function, 0, 32}, *plan, options.limits);
    REQUIRE_MESSAGE(run, run.error().message);
    REQUIRE_MESSAGE(run->end == KernelRun::End::done, run->failure);

    std::vector<SourceFile> files;
    files.emplace_back("/p/k.slang", shader);
    const auto branches =
        branches_to_cover(build_module_model(std::move(files)), "gradMain", changes);
    const auto found = find_branch_gap(branches, text.branches, run->ways);
    return found ? found->reason.substr(0, found->reason.find(';')) : "";
}

} // namespace

TEST_CASE("branch coverage: both ways, one way, no way") {
    const std::string shader = kernel("if (x > t)\n x = x * x;\nreturn x;");
    CHECK(gap(shader) == "");
    CHECK(gap(shader, {{"gIn[2]", {9, 9}}}) == "branch at k.slang:4 was never taken");
    CHECK(gap(shader, {{"gIn[2]", {-9, -9}}}) == "branch at k.slang:4 was always taken");
    CHECK(gap(kernel("if (t > 8) {\n if (x > 0)\n x = x * x;\n}\nreturn x;"),
              {{"gIn[2]", {8, 9}}}) == "");
    CHECK(gap(kernel("[MaxIters(4)] for (int i = 0; i < n; ++i) {\n if (x > 1)\n x = x * x;\n"
                     " else x = x * 1.5f;\n}\nreturn x;"),
              {{"gIn[1]", {0, 0}}}) == "branch at k.slang:5 was never reached");
}

TEST_CASE("branch coverage: break, continue, early return, ?: and &&") {
    const InputRanges trips{{"gIn[1]", {0, 8}}};
    CHECK(gap(kernel("[MaxIters(8)] for (int i = 0; i < n; ++i) {\n"
                     " if (x > 2) break;\n if (i == 3) continue;\n x = x * 1.4f;\n"
                     " if (x < 0 && t > 0) x = -x;\n}\n"
                     "float y = x > 1 ? x * 2 : x;\n"
                     "if (y > 3) return y * y;\nreturn y + x;"),
              trips) == "");
    // The first half of the condition goes both ways, the whole of it does not.
    CHECK(gap(kernel("if (x < 0 && t > 0)\n x = x * x;\nreturn x;"), {{"gIn[2]", {-2, -1}}}) ==
          "branch at k.slang:4 was never taken");
    CHECK(gap(kernel("float y = t > 0 ? x * x : x;\nreturn y;"), {{"gIn[2]", {-2, -1}}}) ==
          "branch at k.slang:4 was never taken");
    // A condition over several lines.
    CHECK(gap(kernel("if (x < 0 &&\n t > 0)\n x = x * x;\nreturn x;"), {{"gIn[2]", {-2, -1}}}) ==
          "branch at k.slang:4 was never taken");
}

TEST_CASE("branch coverage: a switch reaches every label") {
    const std::string shader =
        kernel("switch (n) {\ncase 0: x = x * x; break;\n"
               "case 1: x = x * 3; break;\ndefault: x = x * 2; break;\n}\nreturn x;");
    CHECK(gap(shader, {{"gIn[1]", {0, 2}}}) == "");
    CHECK(gap(shader, {{"gIn[1]", {0, 1}}}) == "switch at k.slang:4 never reached `default`");
    CHECK(gap(shader, {{"gIn[1]", {1, 2}}}) == "switch at k.slang:4 never reached `case 0`");
}

TEST_CASE("branch coverage: what was decided when the shader was compiled needs nothing") {
    CHECK(gap("static const bool wide = false;\n" +
              kernel("if (wide)\n x = x * x;\nreturn x * 2;")) == "");
}

TEST_CASE("branch coverage: a branch that generic values decide needs nothing") {
    const auto specialised = [](const std::string& condition, const std::string& arguments) {
        return "RWStructuredBuffer<float> gOut;\nStructuredBuffer<float> gIn;\n"
               "[Differentiable] float f<let N : int, let R : int>(float x, no_diff int n) {\n"
               "float v = x;\nif (" +
               condition +
               ") {\n[MaxIters(N)] for (int i = 0; i < N; ++i) v = sin(v);\n} else {\n"
               "[ForceUnroll] for (int i = 0; i < N; ++i) v = sin(v);\n}\nreturn v;\n}\n"
               "[shader(\"compute\")][numthreads(1,1,1)] void gradMain(uint3 tid : "
               "SV_DispatchThreadID) {\nvar p = diffPair(gIn[0]);\nbwd_diff(f<" +
               arguments + ">)(p, int(gIn[1]), 1.0f);\ngOut[0] = p.d;\n}\n";
    };
    CHECK(gap(specialised("N > R", "6, 5")) == "");
    CHECK(gap(specialised("N > R", "6, 6")) == "");
    CHECK(gap(specialised("n > R", "6, 100")) != "");
}

TEST_CASE("branch coverage: what another entry point runs says nothing") {
    // The backward pass has the selection at another line than the function itself.
    const std::string forward = "[shader(\"compute\")][numthreads(1,1,1)] void forward(uint3 tid : "
                                "SV_DispatchThreadID) {\n"
                                "gOut[tid.x] = f(gIn[tid.x], 0, gIn[2]);\n}\n";
    const std::string shader =
        kernel("float a = 0.5f * x * x;\nfloat b = abs(x) - t;\nreturn abs(x) < t ? a : b;") +
        forward;
    CHECK(gap(shader, {{"gIn[2]", {1, 1}}}) == "");
    CHECK(gap(shader, {{"gIn[2]", {90, 90}}}) == "branch at k.slang:6 was always taken");
    CHECK(gap(kernel("if (x > t)\n x = x * x;\nreturn x;") + forward, {{"gIn[2]", {90, 90}}}) ==
          "branch at k.slang:4 was never taken");
}

TEST_CASE("branch coverage: a branch that the running text does not hold was not reached") {
    const std::vector<BranchToCover> branches{
        {{"k.slang", 4, 9}, 4, BranchToCover::Kind::two_ways, "f", "", {}}};
    using Kind = EmittedBranch::Kind;
    std::vector<EmittedBranch> emitted{
        {Kind::test, {"k.slang", 4, 0}, "x > t", "f", 0, 1, false, false}};
    const auto found = find_branch_gap(branches, emitted, {0, 1});
    CHECK_FALSE(found); // seen, whatever `reachable` says
    REQUIRE(find_branch_gap(branches, emitted, {}));
    CHECK(find_branch_gap(branches, emitted, {})
              ->reason.starts_with("branch at k.slang:4 was never reached"));
    // One that runs counts alone.
    emitted.push_back(
        {Kind::test, {"k.slang", 3, 0}, "_S.value < t", "s_bwdProp_f", 2, 3, false, true});
    CHECK_FALSE(find_branch_gap(branches, emitted, {2, 3}));
    REQUIRE(find_branch_gap(branches, emitted, {0, 1, 3}));
    CHECK(find_branch_gap(branches, emitted, {0, 1, 3})
              ->reason.starts_with("branch at k.slang:4 was never taken"));
}

TEST_CASE("branch coverage: a selection takes both values in every component") {
    const std::string scalar = kernel("return select(x > t, x * x, x);");
    CHECK(gap(scalar) == "");
    CHECK(gap(scalar, {{"gIn[2]", {9, 9}}}) == "selection at k.slang:4 was never taken");
    const std::string vectors =
        kernel("float3 v = float3(x, -x, 1);\nfloat3 w = select(v > float3(0, 0, t), v * v, v);\n"
               "return w.x + w.y * w.z;");
    CHECK(gap(vectors) == "");
    CHECK(gap(vectors, {{"gIn[2]", {-9, -9}}}) == "selection at k.slang:5 was always taken");
}

namespace {

/// Where nothing of this kernel is in another one.
std::string gap_if_new(const std::string& body, const InputRanges& ranges = {}) {
    const auto model = [](const std::string& shader) {
        std::vector<SourceFile> files;
        files.emplace_back("/p/k.slang", shader);
        return build_module_model(std::move(files));
    };
    const std::string shader = kernel(body);
    return gap(shader, ranges, changed_arms(model(shader), model(kernel("return x;"))));
}

} // namespace

TEST_CASE("branch coverage: a new maximum or minimum gives each of its values") {
    const InputRanges high{{"gIn[2]", {8, 9}}}, low{{"gIn[2]", {-9, -8}}};
    for (const std::string name : {"max", "min"}) {
        const std::string one = "return " + name + "(x, t) * x;";
        const bool maximum = name == "max";
        CHECK(gap_if_new(one) == "");
        CHECK(gap_if_new(one, high) ==
              "`" + name + "` at k.slang:4 was never `" + (maximum ? "x" : "t") + "`");
        CHECK(gap_if_new(one, low) ==
              "`" + name + "` at k.slang:4 was never `" + (maximum ? "t" : "x") + "`");
    }
    CHECK(gap_if_new("return clamp(x, -0.5f, 0.5f) * x;") == "");
    CHECK(gap_if_new("return clamp(x * x, 0.0f - t, 100.0f) * x;", low) ==
          "`clamp` at k.slang:4 was never `x*x`");
    CHECK(gap_if_new("return clamp(x, -100.0f, 1.0f) * x;") ==
          "`clamp` at k.slang:4 was never `-100.0f`");
    CHECK(gap_if_new("return saturate(x) * x;") == "");
    CHECK(gap_if_new("return saturate(x * x) * x;") == "`saturate` at k.slang:4 was never `0`");
    CHECK(gap_if_new("return abs(x) * x;") == "");
    CHECK(gap_if_new("return abs(x * x) * x;") == "`abs` at k.slang:4 was never `-(x*x)`");
    CHECK(gap_if_new("float3 v = max(float3(x, t, 1), float3(0.5f));\nreturn dot(v, v);") == "");
    CHECK(gap_if_new("float3 v = max(float3(x, t, 1), float3(-9.0f));\nreturn dot(v, v);") ==
          "`max` at k.slang:4 was never `float3(-9.0f)`");
    CHECK(gap_if_new("float3 v = abs(float3(x, t, 1));\nreturn dot(v, v);") == "");
    CHECK(gap_if_new("half h = max(half(x), 9.0h);\nreturn h * x;") ==
          "`max` at k.slang:4 was never `half(x)`");
    CHECK(gap_if_new("int m = max(n, -3);\nreturn x * m;", {{"gIn[1]", {0, 2}}}) ==
          "`max` at k.slang:4 was never `-3`");
    // Within another one.
    CHECK(gap_if_new("return max(min(x, t),\n -9.0f) * x;", low) ==
          "`max` at k.slang:4 was never `-9.0f`");
}

TEST_CASE("branch coverage: a maximum that both have needs nothing") {
    CHECK(gap(kernel("return max(x, t) * x;"), {{"gIn[2]", {8, 9}}}) == "");
}
