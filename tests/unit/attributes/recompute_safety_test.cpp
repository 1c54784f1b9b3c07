#include "attributes/recompute_safety.h"

#include "module_text.h"

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

struct Text {
    const char* name;
    const char* text;
};

// What `f` may be that must never be run again without asking. A compiler accepts each of them.
constexpr Text not_again[] = {
    {"a write",
     R"([Differentiable] float f(float x, int i) { outb[40] = outb[40] + 1.f; return x * no_diff(outb[40]); })"},
    {"a write by a callee", R"(
void bump() { outb[40] += 1.f; }
[Differentiable] float f(float x, int i) { bump(); return x; })"},
    {"increment", R"([Differentiable] float f(float x, int i) { outb[40]++; return x; })"},
    {"a write in parentheses",
     R"([Differentiable] float f(float x, int i) { (outb[40]) = 1.f; return x; })"},
    {"a subscript of parentheses",
     R"([Differentiable] float f(float x, int i) { (outb)[40] = 1.f; return x; })"},
    {"a local alias",
     R"([Differentiable] float f(float x, int i) { RWStructuredBuffer<float> b = outb; b[40] = 1.f; return x; })"},
    {"an inferred alias",
     R"([Differentiable] float f(float x, int i) { let b = outb; b[40] = 1.f; return x; })"},
    {"an alias of an alias",
     R"([Differentiable] float f(float x, int i) { let b = outb; let c = b; c[40] = 1.f; return x; })"},
    {"a buffer that a function returns", R"(
RWStructuredBuffer<float> buffer() { return outb; }
[Differentiable] float f(float x, int i) { buffer()[40] = 1.f; return x; })"},
    {"an alias of what a function returns", R"(
RWStructuredBuffer<float> buffer() { return outb; }
[Differentiable] float f(float x, int i) { let b = buffer(); b[40] = 1.f; return x; })"},
    {"an alias of what a static method returns", R"(
struct S { static RWStructuredBuffer<float> buffer() { return outb; } };
[Differentiable] float f(float x, int i) { let b = S.buffer(); b[40] = 1.f; return x; })"},
    {"an alias of what a generic function returns", R"(
RWStructuredBuffer<float> buffer<let N : int>() { return outb; }
[Differentiable] float f(float x, int i) { let b = buffer<2>(); b[40] = 1.f; return x; })"},
    {"a member of a structure", R"(
struct S { RWStructuredBuffer<float> b; };
[Differentiable] float f(float x, int i) { S s; s.b = outb; s.b[40] = 1.f; return x; })"},
    {"a member of a structure made by a list", R"(
struct S { RWStructuredBuffer<float> b; };
[Differentiable] float f(float x, int i) { S s = { outb }; s.b[40] = 1.f; return x; })"},
    {"a method of a structure with a buffer", R"(
struct S { RWStructuredBuffer<float> b; void put(float v) { b[40] = v; } };
[Differentiable] float f(float x, int i) { S s = { outb }; s.put(x); return x; })"},
    {"a member of the base", R"(
struct A { RWStructuredBuffer<float> b; };
struct B : A { void put(float v) { b[40] = v; } };
[Differentiable] float f(float x, int i) { B s; s.b = outb; s.put(x); return x; })"},
    {"a mutating method of an element", R"(
struct S { float n; [mutating] void bump() { n += 1.f; } };
RWStructuredBuffer<S> gS;
[Differentiable] float f(float x, int i) { gS[0].bump(); return x; })"},
    {"a mutating method of an element from an extension", R"(
struct S { float n; };
extension S { [mutating] void bump() { this.n += 1.f; } };
RWStructuredBuffer<S> gS;
[Differentiable] float f(float x, int i) { gS[0].bump(); return x; })"},
    {"an inout parameter", R"(
void bump(inout float v) { v += 1.f; }
[Differentiable] float f(float x, int i) { bump(outb[40]); return x; })"},
    {"an inout parameter, in parentheses", R"(
void bump(inout float v) { v += 1.f; }
[Differentiable] float f(float x, int i) { bump((outb[40])); return x; })"},
    {"an out parameter of a component", R"(
void put(out float v) { v = 1.f; }
RWStructuredBuffer<float3> gV;
[Differentiable] float f(float x, int i) { put(gV[40].y); return x; })"},
    {"out parameters of an intrinsic", R"(
void both(float x) { sincos(x, outb[40], outb[41]); }
[Differentiable] float f(float x, int i) { both(float(i)); return x; })"},
    {"one of two overloads", R"(
void put(float v) { }
void put(inout float v, int k) { v += k; }
[Differentiable] float f(float x, int i) { put(outb[40], 1); return x; })"},
    {"a parameter that is a buffer", R"(
void put(RWStructuredBuffer<float> b) { b[40] = 1.f; }
[Differentiable] float f(float x, int i) { put(outb); return x; })"},
    {"a macro for the buffer", R"(
#define TARGET outb
[Differentiable] float f(float x, int i) { TARGET[40] = 1.f; return x; })"},
    {"a macro that writes", R"(
#define BUMP outb[40] += 1.f
[Differentiable] float f(float x, int i) { BUMP; return x; })"},
    {"a macro with arguments that writes", R"(
#define PUT(i, v) outb[i] = (v)
[Differentiable] float f(float x, int i) { PUT(40, 1.f); return x; })"},
    {"a macro that calls", R"(
void bump() { outb[40] += 1.f; }
#define CALL bump
[Differentiable] float f(float x, int i) { CALL(); return x; })"},
    {"a macro of macros that calls", R"(
void bump() { outb[40] += 1.f; }
#define INNER() bump()
#define OUTER() INNER()
[Differentiable] float f(float x, int i) { OUTER(); return x; })"},
    {"an interface", R"(
interface ISink { void put(float v); };
struct Sink : ISink { float unused; void put(float v) { outb[40] = v; } };
void pass(ISink s, float v) { s.put(v); }
[Differentiable] float f(float x, int i) { Sink s; s.unused = 0.f; pass(s, 1.f); return x; })"},
    {"an interface over a buffer", R"(
interface ISink { void put(float v); };
struct Sink : ISink { RWStructuredBuffer<float> b; void put(float v) { b[40] = v; } };
void pass<T : ISink>(T s, float v) { s.put(v); }
[Differentiable] float f(float x, int i) { Sink s = { outb }; pass(s, 1.f); return x; })"},
    {"a generic", R"(
interface ISink { static void put(float v); };
struct Sink : ISink { static void put(float v) { outb[40] = v; } };
void pass<T : ISink>(float v) { T.put(v); }
[Differentiable] float f(float x, int i) { pass<Sink>(1.f); return x; })"},
    {"groupshared memory", R"(
groupshared float shared[4];
[Differentiable] float f(float x, int i) { shared[1] = 1.f; return x; })"},
    {"a groupshared number", R"(
groupshared float total;
[Differentiable] float f(float x, int i) { total = 1.f; return x; })"},
    {"a static variable", R"(
static float calls = 0.f;
[Differentiable] float f(float x, int i) { calls += 1.f; return x * calls; })"},
    {"a static variable of a function", R"(
float count() { static float calls = 0.f; calls += 1.f; return calls; }
[Differentiable] float f(float x, int i) { return x * no_diff(count()); })"},
    {"a static member", R"(
struct S { static float calls; float next() { calls += 1.f; return calls; } };
[Differentiable] float f(float x, int i) { S s; return x * no_diff(s.next()); })"},
    {"a static member by its type", R"(
struct S { static float calls; };
[Differentiable] float f(float x, int i) { S.calls += 1.f; return x * S.calls; })"},
    {"Interlocked functions", R"(
RWStructuredBuffer<int> gN;
int next() { int old; InterlockedAdd(gN[0], 1, old); return old; }
[Differentiable] float f(float x, int i) { return x * float(no_diff(next())); })"},
    {"the old value of an atomic", R"(
RWStructuredBuffer<Atomic<int>> gN;
int next() { return gN[0].add(1); }
[Differentiable] float f(float x, int i) { return x * float(no_diff(next())); })"},
    {"an atomic maximum", R"(
RWStructuredBuffer<Atomic<int>> gN;
int next(int i) { return gN[0].max(i); }
[Differentiable] float f(float x, int i) { return x * float(no_diff(next(i))); })"},
    {"an atomic or", R"(
RWStructuredBuffer<Atomic<int>> gN;
void mark(int i) { gN[0].or(i); }
[Differentiable] float f(float x, int i) { mark(i); return x; })"},
    {"a byte buffer", R"(
RWByteAddressBuffer gB;
[Differentiable] float f(float x, int i) { gB.Store(0, 1); return x; })"},
    {"a byte buffer's atomics", R"(
RWByteAddressBuffer gB;
void bump() { uint old; gB.InterlockedAdd(0, 1, old); }
[Differentiable] float f(float x, int i) { bump(); return x; })"},
    {"a builtin method of which the module has a namesake", R"(
struct Film { float sum; [mutating] void Store(uint at, float v) { sum += v; } };
RWByteAddressBuffer gB;
[Differentiable] float f(float x, int i) { gB.Store(0, 1); return x; })"},
    {"a texture", R"(
RWTexture2D<float> gT;
[Differentiable] float f(float x, int i) { gT[uint2(0, 1)] = 1.f; return x; })"},
    {"an appended element", R"(
AppendStructuredBuffer<float> gA;
void put() { gA.Append(1.f); }
[Differentiable] float f(float x, int i) { put(); return x; })"},
    {"a pointer", R"(
uniform float* gP;
[Differentiable] float f(float x, int i) { gP[3] = 1.f; return x; })"},
    {"what a pointer points to", R"(
uniform float* gP;
[Differentiable] float f(float x, int i) { *gP = 1.f; return x; })"},
    {"a pointer that a function returns", R"(
uniform float* gP;
float* at(int i) { return gP + i; }
[Differentiable] float f(float x, int i) { *at(3) = 1.f; return x; })"},
    {"a pointer from a number", R"(
uniform uint64_t gAddress;
void put() { ((float*)gAddress)[3] = 1.f; }
[Differentiable] float f(float x, int i) { put(); return x; })"},
    {"the address of a field", R"(
struct S { float v; };
uniform S* gP;
[Differentiable] float f(float x, int i) { let q = &gP->v; *q = 1.f; return x; })"},
    {"a parameter block", R"(
struct Scene { RWStructuredBuffer<float> target; float scale; };
ParameterBlock<Scene> gScene;
[Differentiable] float f(float x, int i) { gScene.target[40] = 1.f; return x; })"},
    {"an operator", R"(
struct S { float v; };
S operator+(S a, S b) { outb[40] += 1.f; S s; s.v = a.v; return s; }
[Differentiable] float f(float x, int i) { S a; a.v = 1.f; S b = a + a; return x; })"},
    {"a setter", R"(
struct S { float stored; property float value { get { return stored; } set { outb[40] = newValue; } } };
[Differentiable] float f(float x, int i) { S s; s.value = 1.f; return x; })"},
    {"an initializer", R"(
struct S { float v; __init(float a) { v = a; outb[40] += 1.f; } };
[Differentiable] float f(float x, int i) { S s = S(1.f); return x; })"},
    {"an initializer that a list calls", R"(
struct S { float v; __init(float a) { v = a; outb[40] += 1.f; } };
[Differentiable] float f(float x, int i) { S s = { 1.f }; return x; })"},
    {"a default argument", R"(
float bump() { outb[40] += 1.f; return 1.f; }
float value(float v = bump()) { return v; }
[Differentiable] float f(float x, int i) { return x * no_diff(value()); })"},
    {"a namespace, with ::", R"(
namespace N { RWStructuredBuffer<float> b; }
[Differentiable] float f(float x, int i) { N::b[40] = 1.f; return x; })"},
    {"a namespace, with a dot", R"(
namespace N { RWStructuredBuffer<float> b; }
[Differentiable] float f(float x, int i) { N.b[40] = 1.f; return x; })"},
    {"a buffer with a constant's name", R"(
namespace M { static const float b[2] = { 1.f, 2.f }; }
namespace N { RWStructuredBuffer<float> b; }
[Differentiable] float f(float x, int i) { N::b[40] = 1.f; return x; })"},
    {"a lambda", R"(
float apply<F : IFunc<float, float>>(F g, float v) { return g(v); }
[Differentiable] float f(float x, int i) { return x * no_diff(apply((float v) => { outb[40] = v; return v; }, 1.f)); })"},
    {"a backward pass of its own", R"(
[BackwardDerivative(gBackward)] float g(float x) { return x * x; }
void gBackward(inout DifferentialPair<float> p, float d) { outb[40] += 1.f; updateDiff(p, d); }
float slope(float x) { var p = diffPair(x, 0.f); bwd_diff(g)(p, 1.f); return p.d; }
[Differentiable] float f(float x, int i) { return x * no_diff(slope(1.f)); })"},
    {"a forward derivative of its own", R"(
[ForwardDerivative(gForward)] float g(float x) { return x * x; }
DifferentialPair<float> gForward(DifferentialPair<float> p) { outb[40] += 1.f; return p; }
float slope(float x) { return fwd_diff(g)(diffPair(x, 1.f)).d; }
[Differentiable] float f(float x, int i) { return x * no_diff(slope(1.f)); })"},
    {"a substitute of its primal code", R"(
[PrimalSubstitute(gInstead)] float g(float x) { return x * x; }
[Differentiable] float gInstead(float x) { outb[40] += 1.f; return x * x; }
[Differentiable] float f(float x, int i) { return g(x); })"},
    {"one of two buffers",
     R"([Differentiable] float f(float x, int i) { (i > 1 ? outb : gGrad)[40] = 1.f; return x; })"},
    {"an element of an array of buffers", R"(
[Differentiable] float f(float x, int i) { RWStructuredBuffer<float> b[2] = { outb, gGrad }; b[0][40] = 1.f; return x; })"},
    {"an alias of a type", R"(
typealias Target = RWStructuredBuffer<float>;
[Differentiable] float f(float x, int i) { Target b = outb; b[40] = 1.f; return x; })"},
    {"a structure under another name", R"(
struct S { RWStructuredBuffer<float> b; };
typedef S T;
[Differentiable] float f(float x, int i) { T s = { outb }; s.b[40] = 1.f; return x; })"},
    {"an extension of the buffer", R"(
extension RWStructuredBuffer<float> { void bump(int i) { this[i] += 1.f; } }
[Differentiable] float f(float x, int i) { outb.bump(40); return x; })"},
    {"an extension of a number", R"(
extension float { void put() { outb[40] = this; } }
[Differentiable] float f(float x, int i) { x.put(); return x; })"},
    {"a subscript's setter", R"(
struct S { float v; __subscript(int i) -> float { get { return v; } set { outb[i] = newValue; } } };
[Differentiable] float f(float x, int i) { S s; s.v = 0.f; s[40] = 1.f; return x; })"},
    {"the body of an interface's method", R"(
interface ISink { float unused(); void put(float v) { outb[40] = v; } };
struct Sink : ISink { float a; float unused() { return 1.f; } };
[Differentiable] float f(float x, int i) { Sink s; s.a = 0.f; s.put(1.f); return x; })"},
    {"one branch for a target", R"(
void put() { __target_switch { case cuda: outb[40] = 1.f; return; default: return; } }
[Differentiable] float f(float x, int i) { put(); return x; })"},
    {"a pointer in a constant buffer", R"(
struct C { float* p; };
ConstantBuffer<C> gC;
[Differentiable] float f(float x, int i) { gC.p[40] = 1.f; return x; })"},
    {"a mutating method through a pointer", R"(
struct S { float v; [mutating] void bump() { v += 1.f; } };
uniform S* gP;
[Differentiable] float f(float x, int i) { gP->bump(); return x; })"},
    {"names pasted together", R"(
#define PASTE(a, b) a##b
[Differentiable] float f(float x, int i) { PASTE(ou, tb)[40] = 1.f; return x; })"},
    {"a deferred statement",
     R"([Differentiable] float f(float x, int i) { defer { outb[40] = 1.f; } return x; })"},
    {"an assignment in an expression",
     R"([Differentiable] float f(float x, int i) { float k = i > 1 ? outb[40]++ : 0.f; return x; })"},
    {"waves",
     R"([Differentiable] float f(float x, int i) { return x * no_diff(WaveActiveSum(1.f)); })"},
    {"printf", R"([Differentiable] float f(float x, int i) { printf("%d", i); return x; })"},
    {"target code", R"(
float opaque(float x) { __intrinsic_asm "bump($0) "; }
[Differentiable] float f(float x, int i) { return x * no_diff(opaque(1.f)); })"},
    {"a write for Slang alone", R"(
[Differentiable] float f(float x, int i)
{
#ifdef __SLANG__
    outb[40] += 1.f;
#endif
    return x;
})"},
    {"a write for Slang's compiler alone", R"(
[Differentiable] float f(float x, int i)
{
#if defined(__SLANG_COMPILER__)
    outb[40] += 1.f;
#endif
    return x;
})"},
    {"a write for everyone but other compilers", R"(
[Differentiable] float f(float x, int i)
{
#ifndef __SLANG__
    return x;
#else
    outb[40] += 1.f;
    return x;
#endif
})"},
    {"a macro that is made empty later", R"(
#define COUNT outb[40] += 1.f
[Differentiable] float f(float x, int i) { COUNT; return x; }
#undef COUNT
#define COUNT
)"},
    {"a macro with arguments that is made empty later", R"(
#define COUNT(n) outb[40] += n
[Differentiable] float f(float x, int i) { COUNT(1.f); return x; }
#undef COUNT
#define COUNT(n)
)"},
    {"a macro that shifts a static variable to the left", R"(
#define DOUBLE calls <<= 1
[Differentiable] float f(float x, int i) { static uint calls = 1; DOUBLE; return x * float(calls); })"},
    {"a macro that shifts a buffer's element to the right", R"(
RWStructuredBuffer<uint> gN;
#define HALVE gN[0] >>= 1
[Differentiable] float f(float x, int i) { HALVE; return x; })"},
    {"an atomic variable of a group", R"(
groupshared Atomic<uint> gHighest;
uint highest(uint i) { return gHighest.max(i); }
[Differentiable] float f(float x, int i) { return x * no_diff(float(highest(uint(i)))); })"},
    {"bits of an atomic variable of a group", R"(
groupshared Atomic<uint> gSeen;
uint seen(uint i) { return gSeen.and(i); }
[Differentiable] float f(float x, int i) { return x * no_diff(float(seen(uint(i)))); })"},
};

// `f` only reads, but something in the same dispatch writes what it reads.
constexpr Text read_and_written[] = {
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
constexpr Text may_overlap[] = {
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

constexpr Text only_reads[] = {
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

constexpr Text pure[] = {
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
        for (const Text& text : not_again) {
            CAPTURE(std::string(text.name));
            const RecomputeSafety safety =
                judge(ModuleText(before_f + std::string(text.text) + after_f));
            CHECK(word(safety.answer) == "no");
            CHECK_FALSE(safety.reason.empty());
        }
    }

    TEST_CASE("what the same dispatch writes is not read again") {
        for (const Text& text : read_and_written) {
            CAPTURE(std::string(text.name));
            const RecomputeSafety safety =
                judge(ModuleText(before_f + std::string(text.text) + after_f));
            CHECK(word(safety.answer) == "no");
            CHECK_FALSE(safety.reason.empty());
        }
    }

    TEST_CASE("what may overlap is left to the user's word") {
        for (const Text& text : may_overlap) {
            CAPTURE(std::string(text.name));
            ModuleText module(before_f + std::string(text.text) + after_f);
            CHECK(word(judge(module).answer) == "if no alias");
            module.promises.noalias = true;
            CHECK(word(judge(module).answer) == "only reads");
        }
    }

    TEST_CASE("readers and pure functions") {
        for (const Text& text : only_reads) {
            CAPTURE(std::string(text.name));
            const RecomputeSafety safety =
                judge(ModuleText(before_f + std::string(text.text) + after_f));
            CHECK(word(safety.answer) == "only reads");
            CHECK(safety.reason == "");
        }
        for (const Text& text : pure) {
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
