#include "attributes/recompute_safety.h"

#include "module_text.h"
#include "recompute_refusals.h"

#include <string>

using namespace slimgrad;

namespace {

/// Around each text: the buffers, a differentiated loop that calls `f`, and a kernel that runs it
/// backward.
constexpr const char* before_f = R"(
RWStructuredBuffer<float> outb;
RWStructuredBuffer<float> gGrad;
StructuredBuffer<float> gW;
)";
constexpr const char* after_f = R"(
[Differentiable]
float run(float x)
{
    float a = 0.f;
    [MaxIters(3)]
    for (int i = 0; i < 3; ++i)
        a += f(x, i);
    return a;
}
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 tid : SV_DispatchThreadID)
{
    var p = diffPair(0.5f, 0.f);
    bwd_diff(run)(p, 1.f);
    gGrad[0] = p.d;
}
)";

RecomputeSafety judge(const ModuleText& module) {
    const EffectAnalysis effects(module.model);
    return recompute_safety(module.input(), effects, module.function("f"));
}

std::string word(RecomputeSafety::Answer answer) {
    constexpr const char* words[] = {"pure", "only reads", "if no alias", "no"};
    return words[int(answer)];
}

// `f` only reads, but something in the same dispatch writes what it reads.
constexpr JudgedFunction read_and_written[] = {
    {"in the kernel", R"(
[Differentiable] float f(float x, int i) { return x * no_diff(gGrad[i]); })"},
    {"in a custom derivative", R"(
[BackwardDerivative(weightBackward)] float weight(int i) { return outb[i]; }
void weightBackward(int i, float d) { outb[i] += d; }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
    {"in a custom derivative that names its primal", R"(
float weight(int i) { return outb[i]; }
[BackwardDerivativeOf(weight)] void weightBackward(int i, float d) { outb[i] += d; }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
    {"in a custom derivative that a macro names", R"(
#define BACKWARD weightBackward
[BackwardDerivative(BACKWARD)] float weight(int i) { return outb[i]; }
void weightBackward(int i, float d) { outb[i] += d; }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
    {"in a generic custom derivative", R"(
[BackwardDerivative(weightBackward<N>)] float weight<let N : int>(int i) { return outb[i * N]; }
void weightBackward<let N : int>(int i, float d) { outb[i * N] += d; }
[Differentiable] float f(float x, int i) { return x * weight<2>(i); })"},
    {"through an alias in a custom derivative", R"(
[BackwardDerivative(weightBackward)] float weight(int i) { return outb[i]; }
void weightBackward(int i, float d) { let target = outb; target[i] += d; }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
    {"through a parameter of a custom derivative", R"(
[BackwardDerivative(weightBackward)] float weight(RWStructuredBuffer<float> b, int i) { return b[i]; }
void weightBackward(RWStructuredBuffer<float> b, int i, float d) { b[i] += d; }
[Differentiable] float f(float x, int i) { return x * weight(outb, i); })"},
    {"through an interface in a custom derivative", R"(
interface ISink { void put(int i, float v); };
struct Sink : ISink { RWStructuredBuffer<float> b; void put(int i, float v) { b[i] += v; } };
void pass(ISink s, int i, float v) { s.put(i, v); }
[BackwardDerivative(weightBackward)] float weight(int i) { return outb[i]; }
void weightBackward(int i, float d) { Sink s = { outb }; pass(s, i, d); }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
    {"through a list in a custom derivative", R"(
struct Sink { RWStructuredBuffer<float> b; };
void put(Sink s, int i, float v) { s.b[i] += v; }
[BackwardDerivative(weightBackward)] float weight(int i) { return outb[i]; }
void weightBackward(int i, float d) { put({ outb }, i, d); }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
    {"in groupshared memory", R"(
groupshared float shared[4];
[BackwardDerivative(weightBackward)] float weight(int i) { return shared[i]; }
void weightBackward(int i, float d) { shared[i] += d; }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
    {"in a static variable with a constant's name", R"(
namespace A { static const uint state = 1; }
namespace B
{
static uint state = 1;
uint now() { return state; }
void step() { state = state * 3 + 1; }
}
[BackwardDerivative(weightBackward)] float weight(int i) { return float(B::now()); }
void weightBackward(int i, float d) { B::step(); }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
    {"under another name at the same binding", R"(
[[vk::binding(5)]] RWStructuredBuffer<float> gWritten;
[[vk::binding(5)]] StructuredBuffer<float> gRead;
[BackwardDerivative(weightBackward)] float weight(int i) { return gRead[i]; }
void weightBackward(int i, float d) { gWritten[i] += d; }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
    {"behind a getter", R"(
struct S { float unused; property float value { get { return outb[3]; } } };
[BackwardDerivative(weightBackward)] float weight(int i) { S s; s.unused = 0.f; return s.value; }
void weightBackward(int i, float d) { outb[3] += d; }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
};

// Memory that may be the same under two names.
constexpr JudgedFunction may_overlap[] = {
    {"two pointers", R"(
uniform float* gFrom;
uniform float* gTo;
[BackwardDerivative(weightBackward)] float weight(int i) { return gFrom[i]; }
void weightBackward(int i, float d) { gTo[i] += d; }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
    {"two handles", R"(
uniform DescriptorHandle<RWStructuredBuffer<float>> gFrom;
uniform DescriptorHandle<RWStructuredBuffer<float>> gTo;
[BackwardDerivative(weightBackward)] float weight(int i) { return gFrom[i]; }
void weightBackward(int i, float d) { gTo[i] += d; }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
    {"a pointer and a buffer", R"(
uniform float* gTo;
[BackwardDerivative(weightBackward)] float weight(int i) { return gW[i]; }
void weightBackward(int i, float d) { gTo[i] += d; }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
    {"a pointer parameter that is set to another", R"(
uniform float* gFrom;
uniform float* gTo;
void put(float* p, float d) { p = gTo; *p = d; }
[BackwardDerivative(weightBackward)] float weight(int i) { return gFrom[i]; }
void weightBackward(int i, float d) { put(gTo, d); }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
};

constexpr JudgedFunction only_reads[] = {
    {"a read-only buffer",
     R"([Differentiable] float f(float x, int i) { return x * no_diff(gW[i]); })"},
    {"a buffer that nobody writes",
     R"([Differentiable] float f(float x, int i) { return x * no_diff(outb[i]); })"},
    {"a reader whose derivative writes elsewhere", R"(
RWStructuredBuffer<float> gWG;
[BackwardDerivative(weightBackward)] float weight(int i) { return gW[i]; }
void weightBackward(int i, float d) { InterlockedAdd(gWG[i], d); }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
    {"a member of a parameter block", R"(
struct Scene { StructuredBuffer<float> weights; RWStructuredBuffer<float> target; };
ParameterBlock<Scene> gScene;
[BackwardDerivative(weightBackward)] float weight(int i) { return gScene.weights[i]; }
void weightBackward(int i, float d) { gScene.target[i] += d; }
[Differentiable] float f(float x, int i) { return x * weight(i); })"},
    {"a texture", R"(
Texture2D<float> gT;
[Differentiable] float f(float x, int i) { return x * no_diff(gT.Load(int3(i, 0, 0))); })"},
};

constexpr JudgedFunction pure[] = {
    {"arithmetic", R"([Differentiable] float f(float x, int i) { return x * x + float(i % 7); })"},
    {"its own variables", R"(
[Differentiable] float f(float x, int i)
{
    float a[3];
    for (int k = 0; k < 3; k++)
        a[k] = x * k;
    a[1] += 2.f;
    return a[i];
})"},
    {"results in parameters", R"(
[Differentiable] void both(float x, out float a, inout float b) { a = x; b += x; }
[Differentiable] float f(float x, int i) { float a; float b = 1.f; both(x, a, b); return a * b; })"},
    {"a method on its own value", R"(
struct S { float v; [mutating] void bump() { v += 1.f; } float get() { return v; } };
[Differentiable] float f(float x, int i) { S s; s.v = 1.f; s.bump(); return x * no_diff(s.get()); })"},
    {"a constant table", R"(
static const float table[3] = { 1.f, 2.f, 3.f };
[Differentiable] float f(float x, int i) { return x * table[i]; })"},
    {"a uniform", R"(
uniform float gScale;
[Differentiable] float f(float x, int i) { return x * gScale; })"},
    {"a macro for a number", R"(
#define SCALE (2.f * 3.f)
[Differentiable] float f(float x, int i) { return x * SCALE; })"},
};

} // namespace

TEST_SUITE("attributes/recompute_safety") {
    TEST_CASE("what must not run twice is refused, with a reason") {
        for (const JudgedFunction& text : not_again) {
            CAPTURE(std::string(text.name));
            const RecomputeSafety safety =
                judge(ModuleText(before_f + std::string(text.text) + after_f));
            CHECK(word(safety.answer) == "no");
            CHECK_FALSE(safety.reason.empty());
        }
    }

    TEST_CASE("what the same dispatch writes is not read again") {
        for (const JudgedFunction& text : read_and_written) {
            CAPTURE(std::string(text.name));
            const RecomputeSafety safety =
                judge(ModuleText(before_f + std::string(text.text) + after_f));
            CHECK(word(safety.answer) == "no");
            CHECK_FALSE(safety.reason.empty());
        }
    }

    TEST_CASE("what may overlap is left to the user's word") {
        for (const JudgedFunction& text : may_overlap) {
            CAPTURE(std::string(text.name));
            ModuleText module(before_f + std::string(text.text) + after_f);
            CHECK(word(judge(module).answer) == "if no alias");
            module.promises.noalias = true;
            CHECK(word(judge(module).answer) == "only reads");
        }
    }

    TEST_CASE("readers and pure functions") {
        for (const JudgedFunction& text : only_reads) {
            CAPTURE(std::string(text.name));
            const RecomputeSafety safety =
                judge(ModuleText(before_f + std::string(text.text) + after_f));
            CHECK(word(safety.answer) == "only reads");
            CHECK(safety.reason == "");
        }
        for (const JudgedFunction& text : pure) {
            CAPTURE(std::string(text.name));
            const RecomputeSafety safety =
                judge(ModuleText(before_f + std::string(text.text) + after_f));
            CHECK(word(safety.answer) == "pure");
            CHECK(safety.reason == "");
        }
    }

    TEST_CASE("the reason names the write and its place") {
        const RecomputeSafety own =
            judge(ModuleText(before_f + std::string(not_again[0].text) + after_f));
        CHECK(own.reason.find("writes 'outb'") != std::string::npos);
        CHECK(own.reason.find("a.slang:5:") != std::string::npos);
        const RecomputeSafety other =
            judge(ModuleText(before_f + std::string(read_and_written[1].text) + after_f));
        CHECK(other.reason.find("'outb'") != std::string::npos);
        CHECK(other.reason.find("a.slang:7:") != std::string::npos);
    }

    TEST_CASE("a custom derivative in an included file counts") {
        const std::string include = "float weight(int i) { return outb[i]; }\n";
        const std::string derivative = "[BackwardDerivativeOf(weight)] void weightBackward(int i, "
                                       "float d) { outb[i] += d; }\n";
        const std::string f =
            "[Differentiable] float f(float x, int i) { return x * weight(i); }\n";
        const ModuleText::Files files = {{"/p/a.slang", "#include \"b.slangh\"\n" + f + after_f},
                                         {"/p/b.slangh", before_f + include + derivative}};
        CHECK(word(judge(ModuleText(files)).answer) == "no");
        const ModuleText::Files without = {files[0], {"/p/b.slangh", before_f + include}};
        CHECK(word(judge(ModuleText(without)).answer) == "only reads");
    }

    TEST_CASE("two parameters of a kernel may overlap, two global buffers do not") {
        const std::string text = R"(
[PreferRecompute] [Differentiable] float f(DiffTensorView<float> source, uint i) { return source.loadOnce(i); }
[AutoPyBindCUDA] [CUDAKernel] [Differentiable]
void squares(DiffTensorView<float> source, DiffTensorView<float> target)
{
    uint t = cudaThreadIdx().x;
    float v = f(source, t);
    target.storeOnce(t, v * v);
}
)";
        ModuleText module(text);
        const RecomputeSafety safety = judge(module);
        CHECK(word(safety.answer) == "if no alias");
        CHECK(safety.reason.find("squares.source") != std::string::npos);
        CHECK(safety.reason.find("squares.target") != std::string::npos);
        module.promises.noalias = true;
        CHECK(word(judge(module).answer) == "only reads");
    }

    TEST_CASE("a direct read is judged like a function that does it") {
        const std::string text =
            before_f +
            std::string(
                "[Differentiable] float f(float x, int i) { return x * gW[i] * gGrad[i]; }") +
            after_f;
        const ModuleText module(text);
        const EffectAnalysis effects(module.model);
        const Index f = module.function("f");
        CHECK(word(read_again_safety(module.input(), effects, f, "gW").answer) == "only reads");
        CHECK(word(read_again_safety(module.input(), effects, f, "gGrad").answer) == "no");
        CHECK(word(read_again_safety(module.input(), effects, f, "x").answer) == "no");
    }
}
