#include "attributes/effects.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

constexpr const char* text = R"(
RWStructuredBuffer<float> gIn;
RWStructuredBuffer<float> gOut;
StructuredBuffer<float> gW;
RWStructuredBuffer<float> gWG;
[BackwardDerivative(weightBackward)]
float weight(int i) { return gW[i]; }
void weightBackward(int i, float d) { gWG[i] += d; }
[Differentiable]
float loss(float x) { return x * weight(1); }
float aside() { return gIn[7]; }
[shader("compute")]
void gradMain(uint3 t : SV_DispatchThreadID)
{
    var p = diffPair(gIn[0], 0.f);
    bwd_diff(loss)(p, 1.f);
    gOut[0] = p.d;
}
[shader("compute")]
void otherMain(uint3 t : SV_DispatchThreadID) { gIn[3] = aside(); }
)";

template <typename Map> std::string names(const Map& map) {
    std::string all;
    for (const auto& [root, site] : map)
        all += (all.empty() ? "" : " ") + root.name;
    return all;
}

} // namespace

TEST_SUITE("attributes/effects") {
    TEST_CASE("a parameter or field with a function's name does not run it") {
        const ModuleText module("RWStructuredBuffer<float> g;\n"
                                "float w(float x) { g[1] = x; return x; }\n"
                                "float b(float w) { return w; }\n"
                                "float c(float x) { return apply(w, x); }\n"
                                "struct S { float w; float m() { return w; } }\n"
                                "struct T : S { float n() { return w; } }\n");
        const EffectAnalysis effects(module.model);
        for (const std::string name : {"b", "m", "n"}) {
            const Effects own = effects.of_function(module.function(name));
            CHECK(names(own.writes) == "");
            CHECK(own.unknown.empty());
        }
        CHECK(names(effects.of_function(module.function("c")).writes) == "g");
    }

    TEST_CASE("of a function's primal code") {
        const ModuleText module(text);
        const EffectAnalysis effects(module.model);
        const Effects loss = effects.of_function(module.function("loss"));
        CHECK(names(loss.reads) == "gW");
        CHECK(loss.writes.empty());
        CHECK(loss.impure.empty());
        CHECK(loss.unknown.empty());
        CHECK(names(effects.of_function(module.function("weightBackward")).writes) == "gWG");
    }

    TEST_CASE("static members of types, under all their names") {
        const std::string members =
            "struct Tab { static int hits = 0; static const int SIZE = 4; float d;\n"
            "  [mutating] void own() { hits++; d = SIZE; } void by_this() { this.hits += 1; }\n"
            "  static void by_type() { This.hits = 4; } }\n"
            "struct Der : Tab { void inherited() { hits++; } }\n"
            "extension Tab { void ext() { hits++; } }\n"
            "struct Box<T> { static int n = 0; T v; void bump() { n++; } }\n"
            "typealias Alias = Tab; struct Holder { Tab t; int hits; void own_field() { hits = 2; "
            "} "
            "}\n"
            "int plain() { return Tab.hits; }  int scoped() { return Tab::hits; }\n"
            "void object(Tab t) { t.hits = 9; }  void alias() { Alias.hits = 3; }\n"
            "void nested(Holder h) { h.t.hits = 1; }  void field(inout Holder h) { h.hits = 1; }\n"
            "void box() { Box<int>.n += 5; }  int constant() { return Tab.SIZE; }\n"
            "void unnamed() { var t = Tab(); t.hits = 1; }\n";
        const ModuleText module(members);
        const EffectAnalysis effects(module.model);
        const auto shown = [&](const std::string& function) {
            const Effects found = effects.of_function(module.function(function));
            CAPTURE(function);
            CHECK(found.unknown.empty());
            return "reads " + names(found.reads) + ", writes " + names(found.writes);
        };
        for (const char* function : {"own", "by_this", "inherited", "ext"})
            CHECK(shown(function) == "reads Tab.hits, writes Tab.hits");
        for (const char* function : {"by_type", "object", "alias", "nested", "unnamed"})
            CHECK(shown(function) == "reads , writes Tab.hits");
        for (const char* function : {"plain", "scoped"})
            CHECK(shown(function) == "reads Tab.hits, writes ");
        for (const char* function : {"constant", "field", "own_field"})
            CHECK(shown(function) == "reads , writes ");
        for (const char* function : {"box", "bump"})
            CHECK(shown(function) == "reads Box.n, writes Box.n");

        const ModuleText start(
            "struct Tab { static int hits; }\nstruct Start { int s = Tab.hits; }\n"
            "int start() { Start a = {}; return a.s; }\n");
        const Effects found = EffectAnalysis(start.model).of_function(start.function("start"));
        CHECK(names(found.reads) == "Tab.hits");
        CHECK(found.unknown.empty());
    }

    TEST_CASE("an element is followed whatever its index is") {
        const ModuleText module("RWStructuredBuffer<Atomic<uint>> h;\n"
                                "uint at(uint k) { return k; }\n"
                                "void f(uint k) { h[min(k, 1)].add(1); }\n"
                                "void g(float x) { h[at(uint(x))].increment(); }\n");
        const EffectAnalysis effects(module.model);
        for (const char* name : {"f", "g"}) {
            CAPTURE(name);
            const Effects found = effects.of_function(module.function(name));
            CHECK(names(found.writes) == "h");
            CHECK(found.unknown.empty());
        }
    }

    TEST_CASE("a local array of a typedef is no memory") {
        const ModuleText module(
            "typedef float Values[4];\n"
            "typealias Row = Values;\n"
            "StructuredBuffer<float> data;\n"
            "typedef StructuredBuffer<float> Data;\n"
            "float f(int i) { Values a; Row b; a[i] = 1; b[i] = a[0]; return b[i]; }\n"
            "float g(int i, Data other) { Data d = i > 0 ? data : other; return d[i]; }\n");
        const EffectAnalysis effects(module.model);
        const Effects values = effects.of_function(module.function("f"));
        CHECK(values.unknown.empty());
        CHECK(values.writes.empty());
        const Effects memory = effects.of_function(module.function("g"));
        CHECK(memory.unknown.size() == 1);
    }

    TEST_CASE("of the dispatches that reach a function, derivatives included") {
        const ModuleText module(text);
        const EffectAnalysis effects(module.model);
        const Effects grad = effects.of_dispatches(module.function("weight"));
        CHECK(names(grad.writes) == "gOut gWG");
        CHECK(names(grad.reads) == "gIn gW gWG");
        CHECK(names(effects.of_dispatches(module.function("aside")).writes) == "gIn");
    }

    TEST_CASE("a function that no kernel reaches may run in any of them") {
        const ModuleText module(std::string(text) + "float nobody() { return gW[2]; }\n");
        const EffectAnalysis effects(module.model);
        CHECK(names(effects.of_dispatches(module.function("nobody")).writes) == "gIn gOut gWG");
    }

    TEST_CASE("what is reached") {
        const ModuleText module(text);
        const EffectAnalysis effects(module.model);
        const Index loss = module.function("loss");
        CHECK(effects.reachable(loss, false).contains(module.function("weight")));
        CHECK_FALSE(effects.reachable(loss, false).contains(module.function("weightBackward")));
        CHECK(effects.reachable(loss, true).contains(module.function("weightBackward")));
        CHECK_FALSE(effects.reachable(loss, true).contains(module.function("aside")));
    }

    TEST_CASE("what is differentiated") {
        const ModuleText module(text);
        const EffectAnalysis effects(module.model);
        CHECK(effects.is_run_backwards(module.function("loss")));
        CHECK(effects.is_run_backwards(module.function("weight")));
        CHECK_FALSE(effects.is_run_backwards(module.function("aside")));
        CHECK_FALSE(effects.is_run_backwards(module.function("gradMain")));
        const ModuleText kernel("[CUDAKernel] [Differentiable] void k(DiffTensorView<float> a) { "
                                "step(); }\nvoid step() { }\nvoid other() { }\n");
        const EffectAnalysis of_kernel(kernel.model);
        CHECK(of_kernel.is_run_backwards(kernel.function("step")));
        CHECK_FALSE(of_kernel.is_run_backwards(kernel.function("other")));
    }

    TEST_CASE("functions that call each other end") {
        const ModuleText module(
            "RWStructuredBuffer<float> b;\nvoid f(int i) { if (i > 0) g(i); }\nvoid g(int i) { "
            "b[0] = 1; f(i - 1); }\n"
            "void h(RWStructuredBuffer<float> a, int i) { a[i] = 1; h(a, i - 1); }\n");
        const EffectAnalysis effects(module.model);
        CHECK(names(effects.of_function(module.function("f")).writes) == "b");
        const Effects h = effects.of_function(module.function("h"));
        CHECK((!h.writes.empty() || !h.unknown.empty()));
    }

    TEST_CASE("tensors in a structure that a list of values makes") {
        const ModuleText module(R"(
struct Weights { TensorView<float> v; TensorView<float> g; }
[BackwardDerivative(loadBwd)] float load(Weights w, uint i) { return w.v[i]; }
void loadBwd(Weights w, uint i, float d) { float old; w.g.InterlockedAdd(i, d, old); }
[Differentiable] float f(Weights w) { return load(w, 0); }
[CUDAKernel] void train(TensorView<float> a, TensorView<float> b)
{
    Weights w = { a, b };
    bwd_diff(f)(w, 1.f);
})");
        const EffectAnalysis effects(module.model);
        const Effects load = effects.of_function(module.function("load"));
        CHECK(names(load.reads) == "train.a");
        CHECK(load.unknown.empty());
        const Effects backward = effects.of_function(module.function("loadBwd"));
        CHECK(names(backward.writes) == "train.b");
        CHECK(backward.unknown.empty());
    }

    TEST_CASE("a structure of tensors that is written later may hold any") {
        const ModuleText module(R"(
struct Weights { TensorView<float> v; TensorView<float> g; }
float load(Weights w, uint i) { return w.v[i]; }
[CUDAKernel] void train(TensorView<float> a, TensorView<float> b)
{
    Weights w = { a, b };
    w.v = b;
    b[0] = load(w, 1);
})");
        const EffectAnalysis effects(module.model);
        CHECK_FALSE(effects.of_function(module.function("load")).unknown.empty());
    }
}
