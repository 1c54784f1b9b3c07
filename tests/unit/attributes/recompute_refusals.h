#pragma once

namespace slimgrad {

/// A function `f` to be judged, with what it needs.
struct JudgedFunction {
    const char* name;
    const char* text;
};

/// What `f` may be that must never be run again without asking. A compiler accepts each of them.
inline constexpr JudgedFunction not_again[] = {
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

} // namespace slimgrad
