#include "attributes/effects.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

/// "reads g; writes g o; unknown": of the function f.
std::string effects_of(const std::string& text, const std::string& function = "f") {
    const ModuleText module("RWStructuredBuffer<float> o; static float g; static float g2 = 3;\n"
                            "struct S { static float sf() { g = 2; return 1; } }\n"
                            "float wg() { g = 1; return 1; }\n" +
                            text);
    const EffectAnalysis analysis(module.model);
    const Effects effects = analysis.of_function(module.function(function));
    std::string all;
    for (const auto& [root, site] : effects.reads)
        all += "reads " + root.name + "; ";
    for (const auto& [root, site] : effects.writes)
        all += "writes " + root.name + "; ";
    return all + (effects.unknown.empty() ? "" : "unknown");
}

} // namespace

TEST_SUITE("attributes/implicit_code") {
    TEST_CASE("defaults of parameters run where an argument is left out") {
        CHECK(effects_of("float d(float x = S.sf()) { return x; } float f() { return d(); }") ==
              "writes g; ");
        CHECK(effects_of("float d(float x = g2) { return x; } float f() { return d(); }") ==
              "reads g2; ");
        CHECK(effects_of("float d(float x = o[0]) { return x; } float f() { return d(); }") ==
              "reads o; ");
        CHECK(effects_of("float d(float x = float2(g2, wg()).x) { return x; } "
                         "float f() { return d(); }") == "reads g2; writes g; ");
        CHECK(effects_of("struct M { float mm(float x = S.sf()) { return x; } }\n"
                         "float f(M m) { return m.mm(); }") == "writes g; ");
        CHECK(effects_of("float d(float x = strange(1)) { return x; } float f() { return d(); }") ==
              "unknown");
        CHECK(effects_of("enum Mode { A, B } static const int K = 4;\n"
                         "float d<let N : int>(Mode m = Mode.A, int n = K * 2 + N, float3 v = "
                         "float3(1.5e3f, max(1, 2), 0).zyx, bool b = true) { return 1; }\n"
                         "float f() { return d<2>(); }") == "");
    }

    TEST_CASE("initializers of fields run where an object is made") {
        const std::string types =
            "struct Dm { float q = wg(); float z = 2; }\n"
            "struct Dn { Dm m; float z = 2; }\n"
            "struct Dr { float q = g2; float z; }\n"
            "typealias Da = Dm; typedef Dm De; struct Plain { float z = 3; float y; }\n";
        for (const char* body : {"Dm d = {};", "let d = Dm();", "Dm[2] d = {};", "Dn d = {};",
                                 "Da d = {};", "De d = {};"})
            CHECK(effects_of(types + "float f() { " + body + " return 1; }") == "writes g; ");
        CHECK(effects_of(types + "Dm make() { return {}; } float f() { let d = make(); "
                                 "return d.q; }") == "writes g; ");
        CHECK(effects_of(types + "float g3(Dn n) { return n.z; } float f() { return g3({}); }") ==
              "writes g; ");
        CHECK(effects_of(types + "float f<T>() { T t = {}; return 1; }") == "reads g2; writes g; ");
        CHECK(effects_of(types + "float f() { Dr d = {}; return d.q; }") == "reads g2; ");
        CHECK(effects_of(types + "float f() { Plain d = {}; return d.z; }") == "");
        CHECK(effects_of(types + "float f(float x) { return x * 2; }") == "");
    }

    TEST_CASE("constructors run where an object may be made, and nowhere else") {
        const std::string types = "struct C { float x; __init() { g = 1; x = 0; } }\n"
                                  "struct In { C c; }\n";
        CHECK(effects_of(types + "float f(float x) { return x * 2; }") == "");
        CHECK(effects_of(types + "float f() { C c; return c.x; }") == "writes g; ");
        CHECK(effects_of(types + "float f() { In i; return i.c.x; }") == "writes g; ");
        CHECK(effects_of(types + "#define OBJECT In\nfloat f() { OBJECT i; return i.c.x; }") ==
              "writes g; ");
    }

    TEST_CASE("what is assigned runs the setter alone, what may be read the getter, too") {
        const std::string type = "struct T { float v; property float p { get { g = 1; return 1; } "
                                 "set { o[0] = newValue; } } __subscript(int i) -> float { get "
                                 "{ g = 1; return 1; } set { o[i] = newValue; } } }\n"
                                 "void put(out float x) { x = 1; }\n";
        CHECK(effects_of(type + "void f(inout T t) { t.p = 2; }") == "writes o; ");
        CHECK(effects_of(type + "void f(inout T t) { t[1] = 2; }") == "writes o; ");
        CHECK(effects_of(type + "void f(inout T t) { t.p += 2; }") == "writes g; writes o; ");
        CHECK(effects_of(type + "void f(inout T t) { put(t.p); }") == "writes g; writes o; ");
    }
}
