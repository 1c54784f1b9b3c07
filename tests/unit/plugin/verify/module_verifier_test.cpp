// The ladder over whole modules, with the real compilers.

#include "plugin/verify/module_verifier.h"

#include "cpu_kernels.h"
#include "plugin/cli/loaded_module.h"

#include <algorithm>

using namespace slimgrad;

namespace {

SlangCompiler& compiler() {
    static SlangCompiler instance({SLIMGRAD_BUILD_DIR "/slimgrad-slang", {}});
    return instance;
}

LoadedModule loaded(const TemporaryFolder& folder, const std::string& name,
                    const std::string& source) {
    Result<LoadedModule> module =
        load_module(compiler(), {folder.write(name, source), folder.path().string(), {"-O3"}, {}});
    REQUIRE_MESSAGE(module, to_string(module.error()));
    return std::move(*module);
}

VerifyResult first(Result<std::vector<VerifyResult>> results) {
    REQUIRE_MESSAGE(results, to_string(results.error()));
    REQUIRE(results->size() == 1);
    return results->front();
}

VerifyResult checked(const std::string& source) {
    const TemporaryFolder folder;
    const LoadedModule module = loaded(folder, "a.slang", source);
    return first(ModuleVerifier(compiler(), shared_verifier()).check(module.view(), {}, {}));
}

VerifyResult compared_modules(const std::string& a, const std::string& b,
                              const Promises& promises = {}) {
    const TemporaryFolder folder;
    const LoadedModule before = loaded(folder, "a.slang", a), after = loaded(folder, "b.slang", b);
    return first(ModuleVerifier(compiler(), shared_verifier())
                     .compare(before.view(), after.view(), {}, promises));
}

const StepReport* step_of(const VerifyResult& result, Step step) {
    const auto found = std::find_if(result.steps.begin(), result.steps.end(),
                                    [&](const StepReport& s) { return s.step == step; });
    return found == result.steps.end() ? nullptr : &*found;
}

std::string kernel(const std::string& function) {
    return "RWStructuredBuffer<float> gIn;\nRWStructuredBuffer<float> gGrad;\n" + function +
           "\n[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
           "void gradMain(uint3 tid : SV_DispatchThreadID)\n{\n"
           "    var p = diffPair(gIn[tid.x], 0.f);\n    bwd_diff(f)(p, 1.f);\n"
           "    gGrad[tid.x] = p.d;\n}\n";
}

const std::string smooth = "[Differentiable] float f(float x) { return sin(x) * x; }";

} // namespace

TEST_CASE("one shader alone: its gradients are right") {
    const VerifyResult result = checked(kernel(smooth));
    CAPTURE(result.reason);
    CHECK(result.verdict == Verdict::right);
    REQUIRE(result.calls.size() == 1);
    CHECK(result.calls[0].function == "f");
    for (const Step step :
         {Step::compiles, Step::checked, Step::dot_product, Step::differences, Step::coverage}) {
        REQUIRE(step_of(result, step));
        CHECK(step_of(result, step)->state == StepState::passed);
    }
    CHECK_FALSE(step_of(result, Step::equal));
}

TEST_CASE("one shader alone: a custom derivative that is wrong") {
    const VerifyResult result =
        checked(kernel("[BackwardDerivative(b)] float square(float x) { return x * x; }\n"
                       "void b(inout DifferentialPair<float> x, float d)"
                       " { x = diffPair(x.p, 3 * x.p * d); }\n"
                       "[Differentiable] float f(float x) { return square(x); }"));
    CAPTURE(result.reason);
    CHECK(result.verdict == Verdict::wrong);
    CHECK(step_of(result, Step::differences)->state == StepState::failed);
    CHECK(step_of(result, Step::dot_product)->state == StepState::not_applicable);
}

TEST_CASE("bwd_diff of a function with a custom derivative is a backward pass") {
    const std::string square = kernel(
        "[BackwardDerivative(b)] float f(float x) { return x * x; }\n"
        "void b(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, 3 * x.p * d); }");
    CHECK(checked(square).verdict == Verdict::wrong);
    CHECK(checked(edited(square, "3 *", "2 *")).verdict == Verdict::right);
}

TEST_CASE("an original that is wrong where the rewritten is right") {
    const VerifyResult result =
        compared_modules(kernel("[BackwardDerivative(b)] float square(float x) { return x * x; }\n"
                                "void b(inout DifferentialPair<float> x, float d)"
                                " { x = diffPair(x.p, 3 * x.p * d); }\n"
                                "[Differentiable] float f(float x) { return square(x); }"),
                         kernel("[Differentiable] float f(float x) { return x * x; }"));
    CAPTURE(result.reason);
    CHECK(result.verdict == Verdict::original_wrong);
    CHECK(step_of(result, Step::equal)->state == StepState::failed);
}

TEST_CASE("a rewritten kernel that is wrong where the original is right") {
    const VerifyResult result = compared_modules(
        kernel("[Differentiable] float f(float x) { return x * sin(x); }"),
        kernel("[Differentiable] float f(float x) { return detach(x) * sin(x); }"));
    CAPTURE(result.reason);
    CHECK((result.verdict == Verdict::different || result.verdict == Verdict::rewritten_wrong));
    CHECK(result.reason.find("the original's gradients agree with central differences") !=
          std::string::npos);
}

TEST_CASE("equal: all steps say so") {
    const VerifyResult result = compared_modules(
        kernel(smooth), kernel("[Differentiable] float f(float x) { return x * sin(x); }"));
    CAPTURE(result.reason);
    CHECK(result.verdict == Verdict::equal);
    for (const Step step : {Step::compiles, Step::checked, Step::equal, Step::coverage,
                            Step::dot_product, Step::differences}) {
        REQUIRE(step_of(result, step));
        CHECK(step_of(result, step)->state == StepState::passed);
    }
    CHECK(step_of(result, Step::aliasing)->state == StepState::not_applicable);
}

TEST_CASE("equal, but not where arguments share memory") {
    const auto shader = [](const std::string& body) {
        return "[Differentiable] float f(float x) { return x * x; }\n"
               "[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
               "void gradMain(uint3 tid : SV_DispatchThreadID, uniform RWStructuredBuffer<float> a,"
               " uniform RWStructuredBuffer<float> b)\n{\n    var p = diffPair(a[tid.x], 0.f);\n"
               "    bwd_diff(f)(p, 1.f);\n" +
               body + "}\n";
    };
    const VerifyResult result =
        compared_modules(shader("    float x = a[0]; b[tid.x + 1] = p.d; b[tid.x + 9] = x;\n"),
                         shader("    b[tid.x + 1] = p.d; b[tid.x + 9] = a[0] + 0 * b[7];\n"));
    CAPTURE(result.reason);
    CHECK(result.verdict == Verdict::equal);
    CHECK_FALSE(result.differs_if_aliased);
    const VerifyResult shared =
        compared_modules(shader("    float x = a[1]; b[1] = p.d; b[9] = x;\n"),
                         shader("    b[1] = p.d; b[9] = a[1];\n"));
    CAPTURE(shared.reason);
    CHECK(shared.verdict == Verdict::equal);
    CHECK(shared.differs_if_aliased);
    CHECK(step_of(shared, Step::aliasing)->state == StepState::failed);
}

TEST_CASE("a module without a backward pass has no results") {
    const TemporaryFolder folder;
    const LoadedModule module =
        loaded(folder, "a.slang",
               "RWStructuredBuffer<float> g;\n[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
               "void main() { g[0] = 1; }\n");
    const auto results = ModuleVerifier(compiler(), shared_verifier()).check(module.view(), {}, {});
    REQUIRE(results);
    CHECK(results->empty());
}

TEST_CASE(
    "threads that add to one place without atomics: seen on the CUDA text, though C++ runs, too") {
    const std::string threads = R"(
StructuredBuffer<float> gIn;
RWStructuredBuffer<float> gGrad;
[Differentiable] float f(float x) { return exp(x); }
float gradient(uint i)
{
    var p = diffPair(gIn[i], 0.f);
    bwd_diff(f)(p, 1.f);
    return p.d;
}
[shader("compute")] [numthreads(4, 1, 1)]
void gradMain(uint3 tid : SV_DispatchThreadID)
{
    gGrad[0] += gradient(tid.x);
}
)";
    const std::string one =
        edited(threads, "gGrad[0] += gradient(tid.x);",
               "if (tid.x == 0) for (uint i = 0; i < 12; ++i) gGrad[0] += gradient(i);");
    const VerifyResult result = compared_modules(one, threads);
    CHECK(result.verdict == Verdict::unverified);
    CHECK(result.reason.find("threads 0 and 1 both write gGrad[0]") != std::string::npos);
    CHECK(step_of(result, Step::threads)->state == StepState::failed);
    CHECK(compared_modules(threads, one).verdict == Verdict::equal);
    const VerifyResult alone = checked(threads);
    CHECK(alone.verdict == Verdict::unverified);
    CHECK(alone.reason.find("threads 0 and 1 both write gGrad[0]") != std::string::npos);
    CHECK(checked(one).verdict == Verdict::right);
}

TEST_CASE("exported functions have verdicts under their own names") {
    const std::string exported = R"(
[Differentiable] float f(float x) { return x * x * x; }
[CudaDeviceExport] float gradient(float x)
{
    var p = diffPair(x, 0.f);
    bwd_diff(f)(p, 1.f);
    return p.d;
}
[CudaDeviceExport] float value(float x) { return f(x); }
)";
    const VerifyResult alone = checked(exported);
    CHECK(alone.entry_point == "gradient");
    CHECK(alone.verdict == Verdict::right);
    CHECK(compared_modules(exported, edited(exported, "x * x * x", "(x * x) * x")).verdict ==
          Verdict::equal);
    CHECK(compared_modules(exported, edited(exported, "x * x * x", "2 * x * x")).verdict ==
          Verdict::different);
    const VerifyResult buffer = checked(
        edited(exported, "gradient(float x)", "gradient(float x, StructuredBuffer<float> b)"));
    CHECK(buffer.verdict == Verdict::cannot_run);
    CHECK(buffer.reason ==
          "no entry point can call it: its parameter b is a StructuredBuffer<float>");
}

TEST_CASE("a branch that only the rewritten kernel has, and that no input takes") {
    const VerifyResult result = compared_modules(
        kernel(smooth),
        kernel("[Differentiable] float f(float x) { if (x > 1000) return x; return sin(x) * x; }"));
    CAPTURE(result.reason);
    CHECK(result.verdict == Verdict::unverified);
    CHECK(result.reason.find("branch at b.slang:3 was ") != std::string::npos);
}

TEST_CASE("a branch of the kernel counts where its text was changed") {
    const auto text = [](const char* factor) {
        std::string shader = kernel(smooth);
        const std::string store = "gGrad[tid.x] = p.d;";
        return shader.replace(shader.find(store), store.size(),
                              std::string("float d = p.d; if (p.p > 1000) d *= ") + factor +
                                  "; gGrad[tid.x] = d;");
    };
    CHECK(compared_modules(text("3"), text("3")).verdict == Verdict::equal);
    CHECK(compared_modules(text("3"), text("5")).verdict == Verdict::unverified);
}
