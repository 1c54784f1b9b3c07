#include "attributes/effects.h"

#include "module_text.h"

#include <algorithm>
#include <sstream>

using namespace slimgrad;

// What is found may be too much, never too little: `f` of each text reads and writes what stands
// beside it, or something of it is unknown.
namespace {

struct Case {
    const char* name;
    const char* reads;
    const char* writes;
    bool impure;
    const char* text;
};

constexpr Case cases[] = {
    {"direct", "gA", "gB", false,
     R"(RWStructuredBuffer<float> gA; RWStructuredBuffer<float> gB; void f() { gB[0] = gA[1]; })"},
    {"pointer param", "", "f.p", false,
     R"(void g(float* p) { *p = 1; } [shader("compute")] void f(uniform float* p) { g(p); })"},
    {"pointer member", "", "f.p", false,
     R"(struct S { float* q; }; void g(S s) { s.q[2] = 1; } [shader("compute")] void f(uniform float* p) { S s; s.q = p; g(s); })"},
    {"pointer arith", "", "f.p", false,
     R"([shader("compute")] void f(uniform float* p) { float* q = p + 4; *q = 1; })"},
    {"arrow", "", "f.p", false,
     R"(struct N { float v; N* next; }; [shader("compute")] void f(uniform N* p) { p->next->v = 3; })"},
    {"ref return", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; __ref float at(int i) { return gB[i]; } void f() { at(3) = 1; })"},
    {"accessor set", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { property float p { get { return 1; } set { gB[0] = newValue; } } }; void f() { S s; s.p = 2; })"},
    {"accessor get", "gB", "", false,
     R"(RWStructuredBuffer<float> gB; struct S { property float p { get { return gB[0]; } } }; float f() { S s; return s.p; })"},
    {"subscript get", "gB", "", false,
     R"(RWStructuredBuffer<float> gB; struct S { __subscript(int i) -> float { get { return gB[i]; } } }; float f() { S s; return s[1]; })"},
    {"subscript set", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { __subscript(int i) -> float { get { return 1; } set { gB[i] = newValue; } } }; void f() { S s; s[1] = 2; })"},
    {"operator", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { float a; }; S operator+(S a, S b) { gB[0] = 1; return a; } void f() { S a, b; S c = a + b; })"},
    {"static local", "f.n", "f.n", false, R"(int f() { static int n = 0; n += 1; return n; })"},
    {"static global", "gS", "gS", false,
     R"(static float gS; void g() { gS += 1; } void f() { g(); })"},
    {"groupshared param", "", "gM", false,
     R"(groupshared float gM[64]; void g(inout float m[64]) { m[0] = 1; } void f() { g(gM); })"},
    {"groupshared elem", "", "gM", false,
     R"(groupshared float gM[64]; void g(out float m) { m = 1; } void f() { g(gM[3]); })"},
    {"atomic add", "", "gB", false,
     R"(RWStructuredBuffer<uint> gB; void f() { InterlockedAdd(gB[0], 1u); })"},
    {"atomic method", "", "gB", false,
     R"(RWByteAddressBuffer gB; void f() { uint o; gB.InterlockedAdd(4, 1u, o); })"},
    {"atomic type", "", "gB", false,
     R"(RWStructuredBuffer<Atomic<int>> gB; void f() { gB[0].add(1); })"},
    {"atomic incr", "", "gB", false,
     R"(RWStructuredBuffer<Atomic<int>> gB; void f() { gB[0]++; })"},
    {"groupshared atomic", "", "gM", false,
     R"(groupshared uint gM; void f() { InterlockedMax(gM, 3u); })"},
    {"texture write", "", "gT", false,
     R"(RWTexture2D<float4> gT; void f() { gT[uint2(0,0)] = 1; })"},
    {"texture store", "", "gT", false,
     R"(RWTexture2D<float4> gT; void f() { gT.Store(int2(0,0), float4(1)); })"},
    {"texture read", "gT", "", false,
     R"(Texture2D<float4> gT; SamplerState gS; float4 f() { return gT.SampleLevel(gS, float2(0), 0); })"},
    {"macro write", "", "gB", false,
     R"(RWStructuredBuffer<float> gB;
#define PUT(i, v) gB[i] = v
void f() { PUT(1, 2); })"},
    {"macro object", "", "gB", false,
     R"(RWStructuredBuffer<float> gB;
#define SLOT gB[0]
void f() { SLOT = 3; })"},
    {"macro call", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; void w() { gB[0] = 1; }
#define CALL w()
void f() { CALL; })"},
    {"macro name", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; void w() { gB[0] = 1; }
#define NAME w
void f() { NAME(); })"},
    {"interface", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; interface I { void m(); }; struct A : I { void m() { gB[0] = 1; } }; struct B : I { void m() { } }; void g<T : I>(T t) { t.m(); } void f() { A a; g(a); })"},
    {"interface ext", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; interface I { void m(); }; struct A { }; extension A : I { void m() { gB[0] = 1; } }; void g<T : I>(T t) { t.m(); } void f() { A a; g(a); })"},
    {"interface default", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; interface I { void m() { gB[0] = 1; } }; struct A : I { }; void f() { A a; a.m(); })"},
    {"lambda", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; void f() { let l = (int i) => { gB[i] = 1; return i; }; int x = l(3); })"},
    {"lambda passed", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; void h<F : IFunc<int, int>>(F g) { g(1); } void f() { h((int i) => { gB[i] = 1; return i; }); })"},
    {"function value", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; int w(int i) { gB[i] = 1; return i; } void h(functype(int) -> int g) { g(1); } void f() { h(w); })"},
    {"overload", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; void g(int i) { gB[i] = 1; } void g(float x) { } void f() { g(3); })"},
    {"buffer param", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; void g(RWStructuredBuffer<float> b) { b[0] = 1; } void f() { g(gB); })"},
    {"buffer struct", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { RWStructuredBuffer<float> b; }; void g(S s) { s.b[0] = 1; } void f() { S s; s.b = gB; g(s); })"},
    {"buffer array", "", "gB", false,
     R"(RWStructuredBuffer<float> gB[4]; void g(RWStructuredBuffer<float> b) { b[0] = 1; } void f() { g(gB[2]); })"},
    {"buffer choice", "", "gA gB", false,
     R"(RWStructuredBuffer<float> gA; RWStructuredBuffer<float> gB; void f(bool c) { RWStructuredBuffer<float> b = c ? gA : gB; b[0] = 1; })"},
    {"buffer returned", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; RWStructuredBuffer<float> pick() { return gB; } void f() { pick()[0] = 1; })"},
    {"param block", "", "gP", false,
     R"(struct P { RWStructuredBuffer<float> b; }; ParameterBlock<P> gP; void f() { gP.b[0] = 1; })"},
    {"method this buffer", "", "gP", false,
     R"(struct P { RWStructuredBuffer<float> b; void put() { b[0] = 1; } }; ParameterBlock<P> gP; void f() { gP.put(); })"},
    {"append", "", "gB", false, R"(AppendStructuredBuffer<float> gB; void f() { gB.Append(1); })"},
    {"element method", "", "gB", false,
     R"(struct E { float v; [mutating] void set(float x) { v = x; } }; RWStructuredBuffer<E> gB; void f() { gB[0].set(1); })"},
    {"element member fn", "", "gB", false,
     R"(struct E { float v; }; RWStructuredBuffer<E> gB; void g(inout E e) { e.v = 1; } void f() { g(gB[2]); })"},
    {"tensor", "", "f.t", false,
     R"([CUDAKernel] void f(TensorView<float> t) { t.store(uint2(0,0), 1.0); })"},
    {"tensor index", "", "f.t", false,
     R"([CUDAKernel] void f(TensorView<float> t) { t[0] = 1.0; })"},
    {"defer", "", "gB", false, R"(RWStructuredBuffer<float> gB; void f() { defer gB[0] = 1; })"},
    {"default arg", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; int w() { gB[0] = 1; return 1; } void g(int x = w()) { } void f() { g(); })"},
    {"ctor", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { int a; __init(int x) { gB[x] = 1; a = x; } }; void f() { S s = S(1); })"},
    {"ctor implicit", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { int a; __init() { gB[0] = 1; a = 0; } }; void f() { S s; })"},
    {"ctor list", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { int a; __init(int x) { gB[x] = 1; a = x; } }; void f() { S s = {1}; })"},
    {"ctor convert", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { int a; __init(int x) { gB[x] = 1; a = x; } }; void g(S s) { } void f() { g(S(2)); })"},
    {"wave", "", "", true, R"(float f() { return WaveActiveSum(1.0); })"},
    {"barrier", "", "", true, R"(void f() { GroupMemoryBarrierWithGroupSync(); })"},
    {"printf", "", "", true, R"(void f() { printf("x"); })"},
    {"discard", "", "", true, R"(void f() { discard; })"},
    {"asm", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; void w() { __intrinsic_asm "gB[0] = 1"; } void f() { w(); })"},
    {"custom derivative", "", "gG", false,
     R"(RWStructuredBuffer<float> gG; [BackwardDerivative(b)] float w(float x) { return x; } void b(inout DifferentialPair<float> x, float d) { gG[0] = d; } void f() { var p = diffPair(1.0); bwd_diff(w)(p, 1.0); })"},
    {"namespace", "", "gB", false,
     R"(namespace N { RWStructuredBuffer<float> gB; } void f() { N::gB[0] = 1; })"},
    {"static member", "", "S.n", false, R"(struct S { static int n; }; void f() { S.n = 3; })"},
    {"static member2", "", "S.n", false,
     R"(struct S { static int n; static void m() { n = 3; } }; void f() { S.m(); })"},
    {"cbuffer member pointer", "", "p", false, R"(cbuffer C { float* p; }; void f() { *p = 3; })"},
    {"bindless", "", "gH", false,
     R"(uniform RWStructuredBuffer<float>.Handle gH; void f() { gH[0] = 1; })"},
    {"pointer global", "", "gP", false, R"(uniform float* gP; void f() { gP[0] = 1; })"},
    {"address of", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; void g(float* p) { *p = 1; } void f() { g(&gB[0]); })"},
    {"address of shared", "", "gM", false,
     R"(groupshared float gM[4]; void g(Ptr<float> p) { *p = 1; } void f() { g(__getAddress(gM[0])); })"},
    {"out local", "", "", false, R"(void g(out float x) { x = 1; } void f() { float y; g(y); })"},
    {"recursion", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; void g(int i) { if (i > 0) g(i - 1); gB[i] = 1; } void f() { g(3); })"},
    {"sub buffer load", "gB", "", false,
     R"(ByteAddressBuffer gB; float f() { return gB.Load<float>(4); })"},
    {"load status", "gB", "", false,
     R"(StructuredBuffer<float> gB; float f() { return gB.Load(4); })"},
    {"bool vec", "gB", "", false, R"(StructuredBuffer<float> gB; float f() { return (gB)[4]; })"},
    {"swizzle write", "", "gT", false,
     R"(RWTexture2D<float4> gT; void f() { gT[uint2(0,0)].x = 1; })"},
    {"getdims", "", "", false,
     R"(RWStructuredBuffer<float> gB; uint f() { uint a, b; gB.GetDimensions(a, b); return a; })"},
    {"increment counter", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; uint f() { return gB.IncrementCounter(); })"},
    {"generic static", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; interface I { static void s(); }; struct A : I { static void s() { gB[0] = 1; } }; void g<T : I>() { T.s(); } void f() { g<A>(); })"},
    {"inherited", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct B { void m() { gB[0] = 1; } }; struct A : B { }; void f() { A a; a.m(); })"},
    {"typedef buffer", "", "gB", false,
     R"(typedef RWStructuredBuffer<float> Buf; Buf gB; void f() { gB[0] = 1; })"},
    {"diff apply", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; [Differentiable] float g(float x) { gB[0] = detach(x); return x; } void f() { var p = diffPair(1.0); bwd_diff(g)(p, 1.0); })"},
    {"fwd", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; [Differentiable] float g(float x) { gB[0] = detach(x); return x; } void f() { var p = fwd_diff(g)(diffPair(1.0, 1.0)); })"},
    {"dispatch", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; [CUDAKernel] void k() { gB[0] = 1; } void f() { __dispatch_kernel(k, uint3(1), uint3(1))(); })"},
    {"shadow", "", "", false,
     R"(RWStructuredBuffer<float> gB; void f() { float gB[3]; gB[0] = 1; })"},
    {"optional ptr", "", "f.p", false,
     R"([shader("compute")] void f(uniform Ptr<float> p) { p[0] = 1; })"},
    {"copy struct ptr", "", "f.p", false,
     R"(struct S { float* q; }; [shader("compute")] void f(uniform S p) { S s = p; s.q[0] = 1; })"},
    {"ptr from buffer", "", "gB", false,
     R"(RWStructuredBuffer<float*> gB; void f() { *gB[0] = 1; })"},
    {"const buffer ptr", "", "gC", false,
     R"(struct S { float* q; }; ConstantBuffer<S> gC; void f() { gC.q[0] = 1; })"},
    {"tuple ptr", "", "f.p", false,
     R"([shader("compute")] void f(uniform float* p) { var t = makeTuple(p, 1); t._0[0] = 1; })"},
    {"loop alias", "", "f.p f.r", false,
     R"([shader("compute")] void f(uniform float* p, uniform float* r) { float* q = p; for (int i = 0; i < 3; ++i) { *q = 1; q = r; } })"},
    {"swap out", "", "f.p", false,
     R"(void g(out float* q, float* p) { q = p; } [shader("compute")] void f(uniform float* p) { float* q; g(q, p); *q = 1; })"},
    {"prop unknown receiver", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { property float p { get { return 1; } set { gB[0] = newValue; } } }; void f() { var s = imported(); s.p = 2; })"},
    {"op unknown", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { float a; }; S operator+(S a, S b) { gB[0] = 1; return a; } void f() { var s = imported(); var t = s + s; })"},
    {"sub unknown", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { __subscript(int i) -> float { get { return 1; } set { gB[i] = newValue; } } }; void f() { var s = imported(); s[2] = 1; })"},
    {"prop implicit this", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { property float p { get { return 1; } set { gB[0] = newValue; } } [mutating] void m() { p = 2; } }; void f() { S s; s.m(); })"},
    {"prop compound", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { property float p { get { return 1; } set { gB[0] = newValue; } } }; void f() { S s; s.p += 2; })"},
    {"prop incr", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { property float p { get { return 1; } set { gB[0] = newValue; } } }; void f() { S s; s.p++; })"},
    {"prop out", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { property float p { get { return 1; } set { gB[0] = newValue; } } }; void g(out float x) { x = 1; } void f() { S s; g(s.p); })"},
    {"prop static", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { static property float p { get { return 1; } set { gB[0] = newValue; } } }; void f() { S.p = 2; })"},
    {"prop generic", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; interface I { property float p { get; set; } }; struct S : I { property float p { get { return 1; } set { gB[0] = newValue; } } }; void g<T : I>(inout T t) { t.p = 2; } void f() { S s; g(s); })"},
    {"op generic", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; interface I { static This add(This a, This b); }; struct S : I { float v; static S add(S a, S b) { gB[0] = 1; return a; } }; T operator+<T : I>(T a, T b) { return T.add(a, b); } void f() { S s; S t = s + s; })"},
    {"op unary", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { float a; }; S operator-(S a) { gB[0] = 1; return a; } void f() { S a; S b = -a; })"},
    {"op compare", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { float a; }; bool operator<(S a, S b) { gB[0] = 1; return true; } void f() { S a, b; if (a < b) { } })"},
    {"sub ref", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { __subscript(int i) -> float { ref { return gB[i]; } } }; void f() { S s; s[1] = 1; })"},
    {"sub nested", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { __subscript(int i) -> float { get { return 1; } set { gB[i] = newValue; } } }; struct Q { S s; }; void f() { Q q; q.s[1] = 1; })"},
    {"sub multi", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { __subscript(int i, int j) -> float { get { return 1; } set { gB[i] = newValue; } } }; void f() { S s; s[1, 2] = 1; })"},
    {"ext method", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct A { }; extension A { void m() { gB[0] = 1; } }; void f() { A a; a.m(); })"},
    {"ext generic", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; interface I { }; struct A : I { }; extension<T : I> T { void m() { gB[0] = 1; } }; void f() { A a; a.m(); })"},
    {"ext float", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; extension float { void m() { gB[0] = 1; } }; void f() { float a = 1; a.m(); })"},
    {"method same name builtin", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { float Load(int i) { gB[i] = 1; return 1; } }; void f() { S s; s.Load(1); })"},
    {"fn same name builtin", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; float sin(float x, int k) { gB[k] = 1; return x; } void f() { sin(1.0, 2); })"},
    {"existential", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; interface I { void m(); }; struct A : I { void m() { gB[0] = 1; } }; void g(I x) { x.m(); } void f() { A a; g(a); })"},
    {"iface array", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; interface I { void m(); }; struct A : I { void m() { gB[0] = 1; } }; void f(I x[2]) { x[0].m(); })"},
    {"create dynamic", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; interface I { void m(); }; struct A : I { void m() { gB[0] = 1; } }; void f(int k) { I x = createDynamicObject<I>(k, 1); x.m(); })"},
    {"assoc type", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; interface J { void m(); }; struct B : J { void m() { gB[0] = 1; } }; interface I { associatedtype T : J; T make(); }; struct A : I { typealias T = B; T make() { B b; return b; } }; void g<X : I>(X x) { x.make().m(); } void f() { A a; g(a); })"},
    {"chained", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; struct S { S m() { gB[0] = 1; return this; } }; void f() { S s; s.m().m(); })"},
    {"call in index", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; int w() { gB[0] = 1; return 1; } void f() { float a[3]; a[w()] = 1; })"},
    {"call in attr cond", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; bool w() { gB[0] = 1; return true; } void f() { for (; w(); ) { } })"},
    {"nested fn generic arg", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; interface I { static void s(); }; struct A : I { static void s() { gB[0] = 1; } }; struct P<T : I> { void m() { T.s(); } }; void f() { P<A> p; p.m(); })"},
    {"ptr in array", "", "f.p", false,
     R"([shader("compute")] void f(uniform float* p) { float* a[2]; a[0] = p; *a[0] = 1; })"},
    {"ptr cast", "", "f.p", false,
     R"([shader("compute")] void f(uniform uint64_t p) { float* q = (float*)p; *q = 1; })"},
    {"ptr field fn", "", "gN", false,
     R"(struct N { float* p; float* get() { return p; } }; uniform N gN; void f() { *gN.get() = 1; })"},
    {"ptr ternary", "", "f.p f.q", false,
     R"([shader("compute")] void f(uniform float* p, uniform float* q, bool c) { *(c ? p : q) = 1; })"},
    {"var ptr", "", "f.p", false,
     R"([shader("compute")] void f(uniform float* p) { var q = p; q[1] = 2; })"},
    {"let ptr off", "", "f.p", false,
     R"([shader("compute")] void f(uniform float* p) { let q = p + 3; q[1] = 2; })"},
    {"var buffer", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; void f() { var b = gB; b[1] = 2; })"},
    {"inout buffer elem member", "", "gB", false,
     R"(struct E { float v; float w; }; RWStructuredBuffer<E> gB; void g(inout float e) { e = 1; } void f() { g(gB[2].w); })"},
    {"bwd inout mem", "", "gB", false,
     R"(RWStructuredBuffer<DifferentialPair<float>> gB; [Differentiable] float g(float x) { return x; } void f() { bwd_diff(g)(gB[0], 1.0); })"},
    {"mut method elem", "", "gM", false,
     R"(struct E { float v; [mutating] void set(float x) { v = x; } }; groupshared E gM[4]; void f() { gM[0].set(1); })"},
    {"ref param", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; void g(__ref float x) { x = 1; } void f() { g(gB[2]); })"},
    {"constref atomic", "", "gB", false,
     R"(RWStructuredBuffer<uint> gB; void g(__ref uint x) { InterlockedAdd(x, 1u); } void f() { g(gB[2]); })"},
    {"image atomic", "", "gT", false,
     R"(RWTexture2D<uint> gT; void f() { InterlockedAdd(gT[uint2(1,1)], 1u); })"},
    {"static const init", "gB", "", false,
     R"(StructuredBuffer<float> gB; float w() { return gB[0]; } static float gS = w(); float f() { return gS; })"},
    {"macro fn cond", "", "gB", false,
     R"(RWStructuredBuffer<float> gB;
#define IF(c) if (c) { gB[0] = 1; }
void f() { IF(true) })"},
    {"tex rw read", "gT", "", false,
     R"(RWTexture2D<float4> gT; float4 f() { return gT.Load(int2(0,0)); })"},
    {"rayquery", "", "", true,
     R"(RaytracingAccelerationStructure gA; void f() { RayQuery<0> q; RayDesc r; q.TraceRayInline(gA, 0, 0xff, r); q.Proceed(); })"},
    {"getaddr", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; void f() { Ptr<float> p = &gB[0]; *p = 1; })"},
    {"byte ptr", "", "gB", false, R"(RWByteAddressBuffer gB; void f() { gB.Store(0, 1u); })"},
    {"wave method", "", "", true, R"(float f() { return WaveReadLaneFirst(1.0); })"},
    {"switch case call", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; void w() { gB[0] = 1; } void f(int k) { switch (k) { case 1: w(); } })"},
    {"block hides global", "", "gS", false,
     R"(static float gS; void f() { { float gS = 1; } gS = 2; })"},
    {"loop hides global", "gS", "", false,
     R"(static float gS; float f() { for (float gS = 0; gS < 1; gS++) { } return gS; })"},
    {"condition after a body that hides", "gS", "", false,
     R"(static float gS; float f(float x) { do { float gS = 1; x += gS; } while (x < 2 && gS < 0); return x; })"},
    {"hidden from later on", "gS", "gS", false,
     R"(static float gS; float f() { gS = 1; float gS = gS + 1; gS = 3; return gS; })"},
    {"hidden by a pattern", "", "gS", false,
     R"(static float gS; float f(float x) { if (let gS = Optional<float>(x)) { x += gS; } gS = 7; return x; })"},
    {"block hides buffer", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; void f() { { float gB = 1; gB += 1; } gB[3] = 1; })"},
    {"block hides byte buffer", "", "gB", false,
     R"(RWByteAddressBuffer gB; void f() { { float gB = 1; gB += 1; } gB.Store(0, 1u); })"},
    {"star of a field", "", "f.s", false,
     R"(struct S { float a; float* p; }; [shader("compute")] void f(uniform S s) { *s.p = 1; })"},
    {"read by the star of a field", "f.s", "", false,
     R"(struct S { float a; float* p; }; [shader("compute")] float f(uniform S s) { return *s.p; })"},
    {"star of an inner field", "f.s", "f.s", false,
     R"(struct S { float a; float* p; }; struct T { S s; }; [shader("compute")] void f(uniform T s) { (*s.s.p)++; })"},
    {"field behind a pointer field", "", "f.s", false,
     R"(struct L { int v; L* next; }; [shader("compute")] void f(uniform L s) { s.next.v = 2; })"},
    {"read behind a pointer field", "f.s", "", false,
     R"(struct L { int v; L* next; }; [shader("compute")] int f(uniform L s) { return s.next.v; })"},
    {"pointer field of a copy", "", "f.s", false,
     R"(struct S { float a; float* p; }; [shader("compute")] void f(uniform S s) { S t = s; *t.p = 1; })"},
    {"inout of a pointer field", "", "f.s", false,
     R"(struct S { float a; float* p; }; void io(inout float y) { y = 1; } [shader("compute")] void f(uniform S s) { io(*s.p); })"},
    {"atomic of a pointer field", "", "f.s", false,
     R"(struct S { float a; uint* p; }; [shader("compute")] void f(uniform S s) { InterlockedAdd(*s.p, 1u); })"},
    {"pointer field of this", "f.s", "", false,
     R"(struct S { float* p; float rd() { return *p; } }; [shader("compute")] float f(uniform S s) { return s.rd(); })"},
    {"global hidden by a macro's local", "gT", "", false,
     R"(static float gT;
#define LOCALS float gS = 2;
static float gS; float f() { LOCALS gS = 1; return gT; })"},
    {"method of a macro", "", "gS", false,
     R"(static float gS; static float gT;
#define METHODS(T) T twice(T x) { gS = 1; return x; }
float twice(float x) { gT = 1; return x; }
struct M { float q; METHODS(float) float call(float x) { return twice(x); } }
float f(M m) { return m.call(1); })"},
    {"function of a macro, named as a built-in one", "", "gS", false,
     R"(static float gS;
#define MAKE(n) float n(float a) { gS = 1; return a; }
MAKE(saturate)
float f(float x) { return saturate(x); })"},
    {"field of a base", "", "f.s", false,
     R"(struct C { float* z; } struct D : C { void put() { *z = 5; } } [shader("compute")] void f(uniform D s) { s.put(); })"},
    {"statement of a macro before another", "", "gS", false,
     R"(static float gS;
#define SETG gS = 1;
float f(float x) { SETG return x; })"},
    {"block of a macro", "", "gS gB", false,
     R"(static float gS; RWStructuredBuffer<float> gB;
#define BODY(v) { gS = v; }
float f(float x) { if (x > 0) BODY(x) gB[0] = 1; return x; })"},
    {"argument of a macro that is a statement", "", "gS", false,
     R"(static float gS;
#define SET(v) v = 1;
float f(float x) { SET(gS) return x; })"},
    {"a global behind a local of its name", "", "gS", false,
     R"(static float gS; float f(float x) { float gS = 2; ::gS = x; return gS; })"},
    {"a macro that is nothing", "", "gS", false,
     R"(static int gS;
#define NOTHING
void f() { gS NOTHING = 1; })"},
    {"arguments of a macro", "", "gS", false,
     R"(static int gS; void set(int a) { gS = a; }
#define ARGS (1)
void f() { set ARGS; })"},
    {"operator of a macro", "", "gS", false,
     R"(static int gS;
#define INC ++
void f() { gS INC; })"},
    {"assignment by a macro", "", "gS", false,
     R"(static float gS;
#define OP =
float f(float x) { gS OP 1; return x; })"},
    {"in class", "", "gB", false,
     R"(RWStructuredBuffer<float> gB; class C { void m() { gB[0] = 1; } }; void f(C c) { c.m(); })"},
};

/// Whether all names are among the roots, as themselves or by a member.
bool holds(const std::map<MemoryRoot, Site>& roots, const char* names) {
    std::istringstream words(names);
    for (std::string name; words >> name;) {
        if (std::none_of(roots.begin(), roots.end(), [&](const auto& root) {
                return root.first.name == name || root.first.name.starts_with(name + ".");
            }))
            return false;
    }
    return true;
}

} // namespace

TEST_SUITE("attributes/effects") {
    TEST_CASE("nothing that a function may do to memory is left out") {
        int exact = 0;
        for (const Case& c : cases) {
            CAPTURE(std::string(c.name));
            const ModuleText module(c.text);
            const EffectAnalysis analysis(module.model);
            const Effects effects = analysis.of_function(module.function("f"));
            const bool known = holds(effects.reads, c.reads) && holds(effects.writes, c.writes) &&
                               (!c.impure || !effects.impure.empty());
            CHECK((known || !effects.unknown.empty()));
            exact += known && effects.unknown.empty();
        }
        // So that "unknown" is no way out.
        CHECK(exact >= 90);
    }

    TEST_CASE("what has no effect has none") {
        for (const char* text :
             {"RWStructuredBuffer<float> gB; void f() { float gB[3]; gB[0] = 1; }",
              "void g(out float x) { x = 1; } void f() { float y; g(y); }",
              "struct S { float a; property float p { get { return a; } set { a = newValue; } } }; "
              "void f() { S s; s.p = 2; s.p += s.p; }",
              "struct S { float a; }; S operator+(S a, S b) { return a; } "
              "S operator-(S a, S b) { gOther = 1; return a; } static int gOther; "
              "void f() { S a, b; S c = a + b; }",
              "static float gS; float f() { float gS = 2; gS += 1; return gS; }",
              "RWStructuredBuffer<float> gB; int f() { return gOther.size(0); } TensorView<float> "
              "gOther;",
              "struct D { float a; __generic<T : __BuiltinFloatingPointType> __init(T x) "
              "{ a = __realCast<float>(x); } } extension float { float f() { return this * this; } "
              "}",
              "struct S { float a; float* p; }; float f(S s) { s.a = 2; return s.a; }",
              "RWStructuredBuffer<float> gB; void g(int i) { gB[i] = 1; } void g(float x) { } "
              "void f() { g(1.5); }"}) {
            CAPTURE(text);
            const ModuleText module(text);
            const Effects effects = EffectAnalysis(module.model).of_function(module.function("f"));
            CHECK(effects.reads.empty());
            CHECK(effects.writes.empty());
            CHECK(effects.impure.empty());
            CHECK(effects.unknown.empty());
        }
    }
}
