#include "attributes/trip_count.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

/// Of the first loop, or the one asked for: "= 8", "= N", "<= 8", "?" where nothing is proved;
/// "promised" where a range says it, "input" where it differs from run to run.
std::string trips(const std::string& text, const Promises& promises = {}, Index loop = 0) {
    const ModuleText module(text);
    REQUIRE(module.model.loops.size() > loop);
    const TripCount count = trip_count(module.model, loop, promises);
    std::string words = count.exact                    ? "= " + std::to_string(*count.exact)
                        : count.expression_is_constant ? "= " + count.exact_expression
                        : count.upper                  ? "<= " + std::to_string(*count.upper)
                                                       : "?";
    CHECK((words != "?") == count.why_unknown.empty());
    return words + (count.upper_is_promised ? " promised" : "") + (count.is_input ? " input" : "");
}

std::string loop(const std::string& head) {
    return "void f(int n, float x) { for (" + head + ") { } }";
}

/// `f(x, n)` with `for (k < n)`, called as the text says from a kernel.
std::string called(const std::string& calls, const std::string& before = "") {
    return "RWStructuredBuffer<float> outb;\n" + before +
           "float f(float x, int n) { for (int k = 0; k < n; ++k) x += 1; return x; }\n"
           "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { " +
           calls + " }\n";
}

} // namespace

TEST_SUITE("attributes/trip_count") {
    TEST_CASE("literal bounds") {
        CHECK(trips(loop("int i = 0; i < 8; ++i")) == "= 8");
        CHECK(trips(loop("int i = 0; i <= 8; ++i")) == "= 9");
        CHECK(trips(loop("int i = 2; i < 9; i += 3")) == "= 3");
        CHECK(trips(loop("int i = 8; i > 0; --i")) == "= 8");
        CHECK(trips(loop("int i = 8; i >= 0; i -= 2")) == "= 5");
        CHECK(trips(loop("int i = 0; i != 6; i += 2")) == "= 3");
        CHECK(trips(loop("int i = 0; i < 0; ++i")) == "= 0");
        CHECK(trips(loop("int i = 5; i < 3; ++i")) == "= 0");
        CHECK(trips(loop("int i = 0; i < 2 * 3 + 1; ++i")) == "= 7");
    }

    TEST_CASE("loops that never end, or not where it seems, have no count") {
        CHECK(trips(loop("int i = 0; i != 5; i += 2")) == "? input");
        CHECK(trips(loop("int i = 0; i > -3; ++i")) != "= 0");
        CHECK(trips(loop("int i = 0; i < 8; --i")) == "? input");
        CHECK(trips(loop("int i = 0; i < 8; i += 0")) == "? input");
        CHECK(trips(loop("int i = 0; i < 8; i *= 2")) == "? input");
        CHECK(trips(loop("float i = 0; i < 8; i += 1")) == "? input");
        CHECK(trips("void f() { for (int i = 0; i < 8; ++i) { i = 3; } }") == "? input");
        CHECK(trips("void f(int n) { while (n < 8) n++; }") == "? input");
        CHECK(trips(loop("uint i = 7; i >= 0; --i")) == "? input");
        CHECK(trips(loop("uint i = 5; i > 0; i -= 2")) == "? input");
        CHECK(trips(loop("int i = 3; i >= 0u; --i")) == "? input");
        CHECK(trips(loop("uint i = 0; i < -1; ++i")) == "? input");
        CHECK(trips(loop("int i = 0; i <= 2147483647; ++i")) == "? input");
        CHECK(trips(loop("uint8_t i = 0; i < 300; ++i")) == "? input");
        CHECK(trips(loop("Count i = 0; i < 3; ++i")) == "? input");
        CHECK(trips("static int i;\nvoid f() { for (i = 0; i < 8; ++i) g(); }") == "? input");
    }

    TEST_CASE("while loops, doublings, halvings") {
        CHECK(trips("void f() { int i = 0; while (i < 8) { i += 2; } }") == "= 4");
        CHECK(trips("void f() { int i = 9; do { i++; } while (i < 8); }") == "= 1");
        CHECK(trips("void f(int n) { int i = 0; while (i < min(n, 6)) ++i; }") == "<= 6 input");
        CHECK(trips("void f<let N : int>() { int i = 0; while (i < N) { i++; } }") == "= N");
        CHECK(trips("void f<let N : int>() { int i = 0; do { i++; } while (i < N); }") ==
              "? input");
        CHECK(trips(loop("uint s = 128; s > 0; s >>= 1")) == "= 8");
        CHECK(trips(loop("int s = 1; s < 100; s *= 2")) == "= 7");
        CHECK(trips(loop("int s = 1; s < min(n, 64); s <<= 1")) == "<= 6 input");
        CHECK(trips(loop("int i = min(n, 5); i > 0; --i")) == "<= 5 input");
        CHECK(trips("#define SKIP if (x > 0) continue\n"
                    "void f(float x) { int i = 0; while (i < 8) { SKIP; i++; } }") == "? input");
    }

    TEST_CASE("loops that may end early say so") {
        const auto early = [](const std::string& text) {
            const ModuleText module(text);
            return trip_count(module.model, 0, {}).may_end_early;
        };
        CHECK_FALSE(early(loop("int i = 0; i < 8; ++i")));
        CHECK(early(loop("int i = 0; i < 8 && x > 0; ++i")));
        CHECK(early("void f() { for (int i = 0; i < 8; ++i) { if (g()) break; } }"));
        CHECK(early("#define STOP(x) if (x) return\n"
                    "void f() { for (int i = 0; i < 8; ++i) { STOP(g()); } }"));
        CHECK(trips(loop("int i = 0; i < 8 && x > 0; ++i")) == "= 8");
    }

    TEST_CASE("constants, macros and generic values") {
        CHECK(trips("static const int N = 6;\n" + loop("int i = 0; i < N; ++i")) == "= 6");
        CHECK(trips("static const int M = 3; static const int N = M * 2;\n" +
                    loop("int i = 0; i < N + M; ++i")) == "= 9");
        CHECK(trips("#define N 6\n" + loop("int i = 0; i < N; ++i")) == "= 6");
        CHECK(trips("void f() { const int n = 4; for (int i = 0; i < n; ++i) { } }") == "= 4");
        CHECK(trips("void f<let N : int>() { for (int i = 0; i < N; ++i) { } }") == "= N");
        CHECK(trips("void f<let N : int>() { for (int i = 0; i <= N; ++i) { } }") == "= N + 1");
        CHECK(trips("void f<let N : int>() { for (int i = 0; i < N * 2; ++i) { } }") == "= N * 2");
        CHECK(trips("interface I { static const int count; }\nvoid f<T : I>() { for (int i = 0; i "
                    "< T.count; ++i) { } }") == "= T.count");
    }

    TEST_CASE("conditions that are negated, and counters as truth values") {
        CHECK(trips(loop("int v = 0; !(v >= 6); v++")) == "= 6");
        CHECK(trips(loop("int v = 0; !(6 <= v); v++")) == "= 6");
        CHECK(trips(loop("int v = 0; !!(v < 6); v++")) == "= 6");
        CHECK(trips(loop("int v = 0; !(v == 6); v += 2")) == "= 3");
        CHECK(trips(loop("int v = 0; !(v != 6); v++")) == "? input");
        CHECK(trips(loop("int v = 0; !(v == 5); v += 2")) == "? input");
        CHECK(trips(loop("int v = 0; !(v >= 6) && !(v > min(n, 3)); v++")) == "<= 4 input");
        CHECK(trips(loop("int v = 0; !(v >= 6 || x > 1); v++")) == "? input");
        CHECK(trips(loop("int v = 100; v; v -= 10")) == "= 10");
        CHECK(trips(loop("int v = 7; v; v -= 2")) == "? input");
        CHECK(trips(loop("int v = 7; !v; v -= 2")) == "? input");
        CHECK(trips(loop("uint s = 128; s; s >>= 1")) == "= 8");
        CHECK(trips(loop("uint s = 128; (s != 0); s /= 2")) == "= 8");
        CHECK(trips(loop("int s = -8; s; s /= 2")) == "= 4");
        CHECK(trips("void f() { int i = 5; while (i) i--; }") == "= 5");
        CHECK(trips("void f() { int n = 24; do { } while (--n); }") == "= 24");
        CHECK(trips("void f() { int n = 24; while (--n) { } }") == "= 23");
        CHECK(trips(loop("int i = 0, ok = 1; ok && i < 5; i++")) == "= 5");
        CHECK(trips("void f(bool on) { int i = 0; while (on && i < 5) { i++; } }") == "= 5");
    }

    TEST_CASE("why there is no count is true of the loop") {
        const auto why = [](const std::string& text) {
            const ModuleText module(text);
            return trip_count(module.model, 0, {}).why_unknown;
        };
        const std::string tests_none = "it is not a counted loop: its condition tests no variable "
                                       "that changes once and alike in every trip";
        CHECK(why("void f(int n) { while (n != 1) { if (n % 2 == 0) n /= 2; else n = 3 * n + 1; } "
                  "}") == tests_none);
        CHECK(why("void f(int n) { while (true) { if (++n > 9) break; } }") == tests_none);
        CHECK(why("void f() { for (int x = 0; ; x++) { if (x >= 9) break; } }") ==
              "it is not a counted loop: it has no condition");
        CHECK(why(loop("int v = 0; v < 6 || v < 8; ++v")) ==
              "it is not a counted loop: its condition is more than tests joined by &&");
    }

    TEST_CASE("constants of an enum without a name, static members that may change") {
        CHECK(trips("enum { BLK = 3, MORE }; struct Cfg { static const int MAXN = 9; }\n" +
                    loop("int i = 0; i < Cfg.MAXN - BLK; ++i")) == "= 6");
        CHECK(trips("enum { BLK = 3, MORE };\n" + loop("int i = 0; i < MORE; ++i")) == "= 4");
        CHECK(
            trips(
                "namespace M { enum { BLK = 3, MORE }; int g() { for (int i = 0; i < MORE; ++i) { "
                "} return 1; } }\n") == "= 4");
        CHECK(trips("[UnscopedEnum] enum E { UA = 3, UB }\n" +
                    loop("int i = 0; i < UA + UB; ++i")) == "= 7");
        CHECK(trips("[UnscopedEnum] enum E { UA = 3, UB }\n" + loop("int i = 0; i < E.UB; ++i")) ==
              "= 4");
        CHECK(trips("struct Cfg { static int count = 9; }\n" +
                    loop("int i = 0; i < Cfg.count; ++i")) == "? input");
        CHECK(
            trips(
                "struct Cfg { static int count = 9; void m() { for (int i = 0; i < count; ++i) { } "
                "} }\n") == "? input");
    }

    TEST_CASE("inside a loop whose counter is multiplied or divided") {
        const auto inner = [](const std::string& outer, const std::string& head) {
            return trips("void f() { for (" + outer + ") for (" + head + ") { } }", {}, 1);
        };
        const std::string half = "int k = 0; k < len / 2; ++k";
        CHECK(inner("int len = 2; len <= 16; len <<= 1", half) == "<= 8 input");
        CHECK(inner("int len = 2; len < 17; len *= 2", half) == "<= 8 input");
        CHECK(inner("int len = 16; len > 1; len /= 2", half) == "<= 8 input");
        CHECK(inner("uint len = 16; len; len >>= 1", "uint k = 0; k < len; ++k") == "<= 16 input");
        CHECK(inner("int len = -16; len < 0; len /= 2", half) == "? input");
        CHECK(inner("uint a = 0; a < 10u; a += 4", "uint b = a; b < a + 4 && b < 10; ++b") ==
              "<= 4 input");
    }

    TEST_CASE("a macro that computes its value writes nothing") {
        const auto with = [](const std::string& macro) {
            return trips(
                "#define ITER 12\n" + macro +
                "\nvoid f(float r) { int i = ITER; while (i-- > 0) { r = M(r * cos(r)); } }");
        };
        CHECK(with("#define M(x) clamp(x, 0.0, 1.0)") == "= 12");
        CHECK(with("#define M(x) (x > 0 ? sqrt(x) : float2(x, 1).x)") == "= 12");
        CHECK(with("#define M(x) set(i, x)") == "? input");
        CHECK(with("void set(inout int i, float x) { i = 3; }\n#define M(x) set(i, x)") ==
              "? input");
        CHECK(with("#define M(x) frexp(x, i)") == "? input");
        CHECK(with("#define M(x) (i = 3)") == "? input");
    }

    TEST_CASE("a macro that is defined again, in a loop that a macro makes") {
        const std::string loop_macro = "#define FOR(i, n) for (int i = 0; i < (n); ++i)\n";
        const auto body = [&](const std::string& before, const std::string& between) {
            return loop_macro + before + "void f(float x)\n{\n    FOR(i, N) x += 1;\n" + between +
                   "    FOR(j, N) x += 1;\n}\n";
        };
        const std::string again = body("#define N 3\n", "#undef N\n#define N 5\n");
        CHECK(trips(again) == "= 3");
        CHECK(trips(again, {}, 1) == "= 5");
        // Which one holds is not certain, or none does.
        const auto loops = [](const std::string& text) {
            return ModuleText(text).model.loops.size();
        };
        CHECK(loops(again) == 2);
        CHECK(loops(body("#define N 3\n", "#if WHO_KNOWS(1)\n#undef N\n#define N 5\n#endif\n")) ==
              0);
        const std::string late = body("#define N 3\n#undef N\n", "#define N 5\n");
        CHECK(loops(late) == 2);
        CHECK(trips(late).starts_with("?"));
        CHECK(trips(late, {}, 1) == "= 5");
        CHECK(ModuleText({{"/p/a.slang", body("#include \"b.slangh\"\n", "#define N 5\n")},
                          {"/p/b.slangh", "#define N 3\n"}})
                  .model.loops.empty());
    }

    TEST_CASE("a name that is not constant is not taken for one") {
        CHECK(trips("static int N = 6;\n" + loop("int i = 0; i < N; ++i")) == "? input");
        CHECK(trips("uniform int N;\n" + loop("int i = 0; i < N; ++i")) == "? input");
        CHECK(trips("static const int n = 6;\n" + loop("int i = 0; i < n; ++i")) == "? input");
        CHECK(trips("void f() { int n = 4; for (int i = 0; i < n; ++i) { n++; } }") == "? input");
        CHECK(trips("void set(out int a) { a = 9; } void f() { int n = 4; set(n); for (int i = 0; "
                    "i < n; ++i) { } }") == "? input");
        CHECK(trips("void f(bool b) { int n = 4; if (b) { int n = 9; } for (int i = 0; i < n; ++i) "
                    "{ } }") == "= 4");
    }

    TEST_CASE("what was assigned last counts, on all ways to the loop") {
        CHECK(trips("void f() { int n = 4; n = 9; for (int i = 0; i < n; ++i) { } }") == "= 9");
        CHECK(trips("void f() { int k = 0; k = 20; do { k -= 4; } while (k > 0); }") == "= 5");
        CHECK(trips("void f() { int k; k = 20; while (k > 0) k -= 4; }") == "= 5");
        CHECK(
            trips("void f(bool b) { int n = 4; if (b) n = 9; for (int i = 0; i < n; ++i) { } }") ==
            "<= 9 input");
        CHECK(trips("void f(bool b) { int n; if (b) n = 6; else n = 6; for (int i = 0; i < n; ++i) "
                    "{ } }") == "= 6");
        CHECK(trips("void f() { int n = 4; for (int i = 0; i < n; ++i) { n = 9; } }") ==
              "<= 9 input");
        CHECK(trips("void f() { int n = 4; for (int i = 0; i < n; ++i) { } n = 9; }") == "= 4");
        CHECK(trips("void f() { int n = 4; n = n + 2; for (int i = 0; i < n; ++i) { } }") == "= 6");
        CHECK(trips("void f() { int n = 4; n += 2; for (int i = 0; i < n; ++i) { } }") ==
              "? input");
        CHECK(trips("void f() { int n = 4; int* p = &n; n = 6; *p = 9; for (int i = 0; i < n; ++i) "
                    "{ } }") == "? input");
        CHECK(trips("void f() { int k = 8; for (;;) { k = 3; while (k > 0) k--; } }\n") ==
              "? input");
        CHECK(trips("void f() { static int n = 4; for (int i = 0; i < n; ++i) { } n = 9; }") ==
              "? input");
        CHECK(trips("#define EACH(v, n) for (int v = 0; v < n; v++)\n"
                    "void f() { int n = 4; EACH(j, 3) n = 7; for (int i = 0; i < n; ++i) { } }",
                    {}, 1) == "<= 7 input");
    }

    TEST_CASE("a name means what it means at the loop") {
        CHECK(trips("void f(int n) { { int n = 3; } for (int i = 0; i < n; ++i) { } }") ==
              "? input");
        CHECK(trips("static const int n = 4;\nstruct S { int n; void f() { for (int i = 0; i < n; "
                    "++i) { } } }") == "? input");
        CHECK(
            trips("static const int n = 4;\nstruct S { static const int n = 7; void f() { for (int "
                  "i = 0; i < n; ++i) { } } }") == "= 7");
        CHECK(trips("static const int n = 4;\nstruct B { static const int n = 7; }\nstruct S : B { "
                    "void f() { for (int i = 0; i < n; ++i) { } } }") == "? input");
        CHECK(trips("static const int n = 4;\nstruct S { property int n { get { return 9; } } void "
                    "f() { for (int i = 0; i < n; ++i) { } } }") == "? input");
        CHECK(
            trips("static const int N = 4;\nstruct S<let N : int> { void f() { for (int i = 0; i < "
                  "N; ++i) { } } }") == "= N");
        CHECK(
            trips("void f(int n) { let g = (int n) => { for (int i = 0; i < n; ++i) { } return n; "
                  "}; }\nvoid h() { f(8); }") == "? input");
    }

    TEST_CASE("constants of enums and arrays") {
        CHECK(trips("enum Mode { Slow = 3, Fast = 7 }\n" + loop("int i = 0; i < int(Mode.Fast); "
                                                                "++i")) == "= 7");
        CHECK(trips("enum Mode { A, B = 6, C }\n" + loop("int i = 0; i < Mode.C; ++i")) == "= 7");
        CHECK(trips("enum Mode { A, B = 6, C }\n" + loop("int i = 0; i <= Mode::A; ++i")) == "= 1");
        CHECK(
            trips("struct S { enum Mode { A, B } void f() { for (int i = 0; i < Mode.B; ++i) { } } "
                  "}") == "= 1");
        CHECK(trips("enum Mode : uint8_t { A = 255, B }\n" + loop("int i = 0; i < int(Mode.B); "
                                                                  "++i")) == "? input");
        CHECK(
            trips("void f() { const int K[3] = {1, 2, 5}; for (int i = 0; i < K[2]; ++i) { } }") ==
            "= 5");
        CHECK(trips("static const int K[] = {1, 2, 5, 7};\n" +
                    loop("int i = 0; i < K.getCount() + K[1]; ++i")) == "= 6");
        CHECK(trips("void f() { int K[3] = {1, 2, 5}; K[2] = 9; for (int i = 0; i < K[2]; ++i) { } "
                    "}") == "? input");
        CHECK(
            trips("void f(int n) { const int K[3] = {1, 2, 5}; for (int i = 0; i < K[n]; ++i) { } "
                  "}") == "? input");
        CHECK(trips("static const float K[] = {1, 2.5f};\n" + loop("int i = 0; i < K[0]; ++i")) ==
              "? input");
        CHECK(trips("static const uint8_t K[] = {1, 300};\n" + loop("int i = 0; i < K[1]; ++i")) ==
              "? input");
        CHECK(trips("static const float K = 2.5f;\n" + loop("int i = 0; i < K; ++i")) == "? input");
    }

    TEST_CASE("64 bits, and 32 that are too few") {
        CHECK(trips(loop("int64_t i = 0LL; i < 5000000000LL; i += 1000000000LL")) == "= 5");
        CHECK(trips(loop("int64_t i = 0; i < 5000000000; i += 1000000000")) == "= 5");
        CHECK(trips(loop("int i = 0; i < 5000000000LL; i += 1000000000")) == "? input");
        CHECK(trips(loop("int i = 0; i < 100000 * 100000 / 100000; ++i")) ==
              "= 100000 * 100000 / 100000"); // whatever that is
        CHECK(trips(loop("int i = 0; i < int(100000LL * 100000 / 1000000000); ++i")) == "= 10");
        CHECK(trips(loop("int64_t i = 9000000000000000000LL; i < 9223372036854775807LL; i += "
                         "1000000000000000000LL")) == "? input");
    }

    TEST_CASE("the text of a macro binds where it is used") {
        CHECK(trips("#define N 2 + 1\n" + loop("int i = 0; i < N * 2; ++i")) == "? input");
        CHECK(trips("#define N (2 + 1)\n" + loop("int i = 0; i < N * 2; ++i")) == "= 6");
        CHECK(trips("#define N 2 + 1\n" + loop("int i = 0; i < N; ++i")) == "= 3");
        CHECK(trips("#define N 6 & 3\n" + loop("int i = 0; i < N; ++i")) == "? input");
        CHECK(trips("#define N 2 + 1\nvoid f(int n) { for (int i = 0; i < min(n, 9) - N; ++i) { } "
                    "}") == "? input");
    }

    TEST_CASE("the counter is stepped where it is tested") {
        CHECK(trips(loop("int i = 10; i-- > 0;")) == "= 10");
        CHECK(trips(loop("int i = 10; --i > 0;")) == "= 9");
        CHECK(trips(loop("int i = 0; ++i < 8;")) == "= 7");
        CHECK(trips(loop("uint i = 10; i-- > 0;")) == "= 10");
        CHECK(trips(loop("uint i = 10; i-- > 0u;")) == "= 10");
        CHECK(trips("void f() { int i = 4; while (i--) { } }") == "= 4");
        CHECK(trips("void f() { int i = 4; do { } while (i-- > 0); }") == "= 5");
        CHECK(trips("void f() { int i = 4; do { } while (--i > 0); }") == "= 4");
        CHECK(trips(loop("int i = min(n, 6); i-- > 0;")) == "<= 6 input");
        CHECK(trips(loop("uint i = uint(clamp(n, 0, 6)); --i > 0;")) == "? input");
        CHECK(trips(loop("int i = 10; i-- > 0; i--")) == "? input");
        CHECK(trips("void f() { int i = 10; while (i-- > 0) { i--; } }") == "? input");
        CHECK(trips(loop("int i = 0; i < 8 && (i -= 1) > -100; i++")) == "? input");
    }

    TEST_CASE("several tests of one counter") {
        CHECK(trips("void f(uint m) { for (uint i = 0; i < m && i < 16; i++) { } }") ==
              "<= 16 input");
        CHECK(trips(loop("int i = 0; i < 16 && i < 9; i++")) == "= 9");
        CHECK(trips(loop("int i = 0; i != 5 && i < 9; i++")) == "= 5");
        CHECK(trips(loop("int i = 0; i < n && i < 9 && x > 0; i++")) == "<= 9 input");
        CHECK(trips(loop("int i = 0; 9 > i && i > -1; i++")) == "= 9");
        const ModuleText two(loop("int i = 0; i < 16 && i < 9; i++"));
        CHECK_FALSE(trip_count(two.model, 0, {}).may_end_early);
        const ModuleText more(loop("int i = 0; i < 16 && i < 9 && x > 0; i++"));
        CHECK(trip_count(more.model, 0, {}).may_end_early);
    }

    TEST_CASE("an initializer that sets the counter twice") {
        CHECK(trips("void f() { int i; for (i = 0, i = 5; i < 8; i++) { } }") == "? input");
        CHECK(trips("void set(out int a) { a = 9; } void f() { int i; for (i = 0, set(i); i < 8; "
                    "i++) { } }") == "? input");
    }

    TEST_CASE("counters of loops around") {
        const auto inner = [](const std::string& outer, const std::string& head) {
            const ModuleText module("void f(int n) { for (" + outer + ") for (" + head + ") { } }");
            REQUIRE(module.model.loops.size() == 2);
            const TripCount count = trip_count(module.model, 1, {});
            return (count.exact   ? "= " + std::to_string(*count.exact)
                    : count.upper ? "<= " + std::to_string(*count.upper)
                                  : "?") +
                   (count.lowest > 0 ? ", >= " + std::to_string(count.lowest) : "");
        };
        CHECK(inner("int i = 0; i < 4; i++", "int j = 0; j <= i; j++") == "<= 4, >= 1");
        CHECK(inner("int i = 0; i < 4; i++", "int j = 0; j < i; j++") == "<= 3");
        CHECK(inner("int i = 5; i > 1; i--", "int j = 0; j < i; j++") == "<= 5, >= 2");
        CHECK(inner("int i = 0; i < 4; i++", "int j = i; j < 6; j++") == "<= 6, >= 3");
        CHECK(inner("int i = 0; i < min(n, 7); i++", "int j = 0; j < i * 2 + 1; j++") ==
              "<= 13, >= 1");
        CHECK(inner("int i = 0; i < 9; i += 4", "int j = 0; j < i; j++") == "<= 8");
        CHECK(inner("int i = 0; i != 9; i += 3", "int j = 0; j < i; j++") == "<= 6");
        CHECK(inner("int i = 3; i < 4; i++", "int j = 0; j < i; j++") == "= 3, >= 3");
        CHECK(inner("int i = 0; i < n; i++", "int j = 0; j < i; j++") == "?");
        CHECK(inner("uint i = 0; i < 4; i++", "uint j = 0; j < i - 1; j++") == "?");
        CHECK(inner("int i = 1; i < 64; i *= 2", "int j = 0; j < i; j++") == "<= 32, >= 1");
        CHECK(inner("int i = 90; i > 9; i /= 3", "int j = 0; j < i; j++") == "<= 90, >= 10");
        CHECK(inner("int i = 1; i < min(n, 9); i *= 3", "int j = 0; j < i; j++") == "<= 3, >= 1");
        CHECK(inner("int i = 3; i-- > 0;", "int j = 0; j < i; j++") == "?");
        const ModuleText written(
            "void f() { for (int i = 0; i < 4; i++) { i++; for (int j = 0; j < "
            "i; j++) { } } }");
        CHECK_FALSE(trip_count(written.model, 1, {}).upper);
        const ModuleText passed("void g(int n) { for (int j = 0; j < n; j++) { } }\n"
                                "void f() { for (int i = 0; i < 4; i++) g(i); }");
        CHECK(trip_count(passed.model, 0, {}).upper == 3);
    }

    TEST_CASE("from one place to another near it") {
        CHECK(trips("void f(int n) { for (int i = n; i < n + 5; i++) { } }") == "<= 5 input");
        CHECK(trips("void f(int n) { for (int i = n; i > n - 5; i--) { } }") == "<= 5 input");
        CHECK(trips("void f(int n) { for (int i = n - 1; i < 2 + n; i++) { } }") == "<= 3 input");
        CHECK(trips("void f(int n) { for (int i = n; i < n + 5; i++) { } }\nvoid g() { f(3); }") ==
              "= 5");
        CHECK(trips("void f(int n) { for (int i = n; i <= n + 5; i++) { } }") == "? input");
        CHECK(trips("void f(int n) { for (int i = n; i < n + 5; i += 2) { } }") == "? input");
        CHECK(trips("void f(int n) { for (int i = n + 5; i < n + 3; i++) { } }") == "? input");
        CHECK(trips("void f(int n) { for (int i = n; i < n + 5; i++) { n++; } }") == "? input");
        CHECK(trips("void f(int n) { for (int8_t i = n; i < n + 5; i++) { } }") == "? input");
        CHECK(trips("void f(uint8_t n) { for (uint8_t i = n; i < n + 5; i++) { } }") == "? input");
        CHECK(trips("void f(int n) { for (int i = n; i < n + 5LL; i++) { } }") == "? input");
    }

    TEST_CASE("from where it is set before the loop to another place near it") {
        const auto inner = [](const std::string& body) {
            return trips("void f(int n, bool b) { int m = n; for (int i = 3; i < 10; i++) { " +
                             body + " } }",
                         {}, 1);
        };
        CHECK(inner("int j = i; while (j < i + 2) { j++; }") == "<= 2 input");
        CHECK(inner("int j; j = i; while (j < i + 2) { j++; }") == "<= 2 input");
        CHECK(inner("int j = i + 1; while (j > i - 3) { j--; }") == "<= 4 input");
        CHECK(inner("int j = m; while (j < m + 2) { j++; }") == "<= 2 input");
        CHECK(inner("int j = i; if (b) j = 3; while (j < i + 2) { j++; }") == "<= 8 input");
        CHECK(inner("int j = m; m++; while (j < m + 2) { j++; }") == "? input");
        CHECK(inner("int j = m; if (b) m = 9; while (j < m + 2) { j++; }") == "? input");
        CHECK(inner("int j = m; while (j < m + 2) { j++; m++; }") == "? input");
        CHECK(trips("void f(int n) { int j = n; for (int i = 3; i < 10; i++) { while (j < n + 2) { "
                    "j++; } "
                    "} }",
                    {}, 1) == "? input");
        CHECK(trips("void f(int m) { int j = 0; for (int i = 0; i < 4; i++) { if (i == 1) { j = m; "
                    "m += "
                    "50; } while (j < m + 2) { j++; } } }",
                    {}, 1) == "? input");
    }

    TEST_CASE("functions of one's own that are called like built-in ones say nothing") {
        CHECK(trips("int min(int a, int b) { return a + b; }\n" +
                    loop("int i = 0; i < min(3, 4); ++i")) == "? input");
        CHECK(trips("#define max(a, b) ((a) + (b))\n" + loop("int i = 0; i < max(3, 4); ++i")) ==
              "? input");
        CHECK(trips("int clamp(int a, int b, int c) { return a; }\n" +
                    loop("int i = 0; i < clamp(n, 0, 4); ++i")) == "? input");
    }

    TEST_CASE("callers say how often") {
        const ModuleText module(called("f(1, 4);"));
        CHECK(trip_count(module.model, 0, {}).lowest == 4);
        CHECK(trip_count(module.model, 0, {}).from_callers);
        const ModuleText sum("void f(int n) { for (int i = 0; i < n + 2 * 12; i += 2) { } }\n"
                             "void g() { f(3); }");
        const TripCount count = trip_count(sum.model, 0, {});
        CHECK(count.exact == 14);
        CHECK(count.upper_from == "n+2*12 at a.slang:1:37, from 3 at a.slang:2:14");
        const ModuleText smaller("void f(int n) { for (int i = 0; i < min(n, 20); i++) { } }\n"
                                 "void g() { f(3); }");
        CHECK(trip_count(smaller.model, 0, {}).exact == 3);
        CHECK(trip_count(smaller.model, 0, {}).upper_from == "3 at a.slang:2:14");
    }

    TEST_CASE("downwards to zero from a generic value") {
        const std::string f = "void f<let N : int>() { for (";
        CHECK(trips(f + "int i = N; i > 0; i--) { } }") == "= N");
        CHECK(trips(f + "int i = N - 1; i >= 0; i--) { } }") == "= N");
        CHECK(trips(f + "int i = N; i >= 0; i--) { } }") == "= N + 1");
        CHECK(trips(f + "int i = N * 2; i > 0; i--) { } }") == "= N * 2");
        CHECK(trips(f + "uint i = N; i > 0; i--) { } }") == "? input");
        CHECK(trips(f + "int i = N; i > 1; i--) { } }") == "? input");
    }

    TEST_CASE("a macro that is defined again means what it meant at the loop") {
        CHECK(trips("#define N 8\n" + loop("int i = 0; i < N; ++i") +
                    "\n#undef N\n#define N 4\n") != "= 4");
        CHECK(trips("#define N 4\n" + loop("int i = 0; i < N; ++i") + "\n#undef N\n") != "= 8");
    }

    TEST_CASE("a macro counts where it is in force alone") {
        const std::string constant = "static const int N = 16;\n";
        const std::string counted = loop("int i = 0; i < N; ++i") + "\n";
        CHECK(trips(constant + counted + "#define N 4\n") == "= 16");
        CHECK(trips(constant + "#define N 4\n#undef N\n" + counted) == "= 16");
        const std::string between =
            constant + "#define N 4\n" + counted + "#undef N\n" + "int g() { return N; }\n";
        CHECK(trips(between) == "? input");
        CHECK(
            trips("void f() { const int K = 9; for (int i = 0; i < K; ++i) { } }\n#define K 3\n") ==
            "= 9");
    }

    TEST_CASE("a clamp bounds, whoever does it") {
        CHECK(trips("void f(int n) { int m = min(n, 8); for (int i = 0; i < m; ++i) { } }") ==
              "<= 8 input");
        CHECK(trips("void f(int n) { for (int i = 0; i < clamp(n, 0, 8); ++i) { } }") ==
              "<= 8 input");
        CHECK(trips("void f(int n) { for (int i = 0; i <= min(8, int(n)); ++i) { } }") ==
              "<= 9 input");
        CHECK(trips("void f(int n) { for (int i = 2; i < min(n, 8); i += 2) { } }") ==
              "<= 3 input");
        CHECK(trips("void f(int n) { for (int i = 0; i < max(min(n, 4), 6); ++i) { } }") == "= 6");
        CHECK(trips("void f(int n) { for (int i = 0; i < max(min(n, 8), 6); ++i) { } }") ==
              "<= 8 input");
        CHECK(trips("void f(int n) { for (int i = 0; i < max(n, 8); ++i) { } }") == "? input");
        CHECK(trips("void f(float n) { for (int i = 0; i < int(min(n, 8.5f)); ++i) { } }") ==
              "? input");
        CHECK(trips(called("f(1, min(int(outb[1]), 8));")) == "<= 8 input");
        CHECK(trips(called("int n = min(int(outb[1]), 8); f(1, n);")) == "<= 8 input");
        CHECK(
            trips(called(
                "f(1, min(int(outb[1]), 8)); bwd_diff(f)(p, clamp(int(outb[2]), 0, 20), 1.f);")) ==
            "<= 20 input");
    }

    TEST_CASE("what a variable of a narrower type is set to is converted") {
        CHECK(trips("void f() { const uint8_t n = 260; for (int i = 0; i < n; ++i) { } }")[0] ==
              '?');
        CHECK(trips("void f() { uint8_t n = 258; for (int i = 0; i < n; ++i) { } }")[0] == '?');
        CHECK(trips("void f() { const bool n = 7; for (int i = 0; i < int(n); ++i) { } }")[0] ==
              '?');
        CHECK(trips("void f() { const int16_t n = 0x3fffffff; for (int i = -1; i <= n; ++i) { } }")
                  [0] == '?');
        CHECK(trips("void f(uint8_t n) { for (int i = 0; i < n; ++i) { } }\n"
                    "void g() { f(260); }")[0] == '?');
        CHECK(trips("void f() { const int n = 8; for (int i = 0; i < n; ++i) { } }") == "= 8");
    }

    TEST_CASE("a declaration without a body is the function that its definition is") {
        CHECK(trips(called("f(1, 8);", "float f(float x, int n);\n")) == "= 8");
    }

    TEST_CASE("one caller that does not clamp is enough to prove nothing") {
        CHECK(trips(called("f(1, min(int(outb[1]), 8)); f(2, int(outb[1]));")) == "? input");
        CHECK(trips(called("int n = min(int(outb[1]), 8); n = int(outb[2]); f(1, n);")) ==
              "? input");
        CHECK(trips(called("f(1, outb[1]);")) == "? input");
        CHECK(trips("public float f(float x, int n) { for (int k = 0; k < n; ++k) x += 1; return "
                    "x; }\nvoid g() { f(1, 8); }") == "? input");
        CHECK(trips("float f(float x, int n) { for (int k = 0; k < n; ++k) x += 1; return x; }") ==
              "? input");
        CHECK(trips("float f(float x, int n) { n = 30; for (int k = 0; k < n; ++k) x += 1; return "
                    "x; }\nvoid g() { f(1, 8); }") == "= 30");
        CHECK(trips("float f(float x, int n) { if (x > 2) n += 30; for (int k = 0; k < n; ++k) x "
                    "+= 1; return x; }\nvoid g() { f(1, 8); }") == "? input");
        CHECK(trips("float f(float x, int n) { for (int k = 0; k < n; ++k) x += 1; return n > 99 ? "
                    "x : f(x, n + 1); }\nvoid g() { f(1, 8); }") == "? input");
        CHECK(trips(called("f(1, 8); }\n float other<T : I>(T op) { return op(f); ")) != "= 9");
    }

    TEST_CASE("a function in an included file may have other callers") {
        const ModuleText module(ModuleText::Files{
            {"/p/a.slang", "#include \"b.slangh\"\nvoid g() { f(1, 8); }\n"},
            {"/p/b.slangh",
             "float f(float x, int n) { for (int k = 0; k < n; ++k) x += 1; return x; }\n"}});
        CHECK_FALSE(trip_count(module.model, 0, {}).upper);
    }

    TEST_CASE("a constant that all callers pass is no input") {
        CHECK(trips(called("f(1, 4); bwd_diff(f)(p, 4, 1.f);")) == "= 4");
        CHECK(trips(called("f(1, 4); f(2, 6);")) == "<= 6 input");
    }

    TEST_CASE("bwd_diff leaves out what is not differentiable and only written: arguments are not "
              "matched by place alone") {
        const std::string text = "RWStructuredBuffer<float> outb;\n"
                                 "[Differentiable] float f(float x, out int k, int n) { k = 0; for "
                                 "(int i = 0; i < n; ++i) x += 1; return x; }\n"
                                 "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { "
                                 "bwd_diff(f)(p, int(outb[1]), 1); }\n";
        CHECK(trips(text) == "? input");
    }

    TEST_CASE("configured ranges") {
        Promises promises;
        promises.ranges["outb[1]"] = {0, 12};
        promises.ranges["n"] = {0, 5.9};
        CHECK(trips(called("f(1, int(outb[1]));"), promises) == "<= 12 promised input");
        CHECK(trips(called("f(1, min(int(outb[1]), 8));"), promises) == "<= 8 input");
        CHECK(trips("uniform int n;\nvoid f() { for (int i = 0; i < n; ++i) { } }", promises) ==
              "<= 5 promised input");
    }

    TEST_CASE("what a macro or a call writes is seen") {
        CHECK(
            trips(
                "#define AGAIN i--\nvoid f(float x) { for (int i = 0; i < 8; ++i) { if (x > 50) { "
                "AGAIN; } } }") == "? input");
        CHECK(
            trips("#define AGAIN() --i\n#define MAYBE AGAIN()\nvoid f(float x) { for (int i = 0; i "
                  "< 8; ++i) { if (x > 50) MAYBE; } }") == "? input");
        CHECK(
            trips(
                "#define GROW m = 60\nvoid f(float x) { int m = 4; if (x > 50) { GROW; } for (int "
                "i = 0; i < m; ++i) { } }") == "? input");
        CHECK(
            trips(
                "#define GROW m <<= 4\nvoid f(float x) { int m = 4; if (x > 50) { GROW; } for (int "
                "i = 0; i < m; ++i) { } }") == "? input");
        CHECK(trips("void hold(inout int i) { i = max(i - 1, 0); }\n" +
                    loop("int i = 0; i < 8; i++, hold(i)")) == "? input");
        CHECK(trips("#define SQUARE(a) ((a) * (a))\n" + loop("int i = 0; i < 8; ++i")) == "= 8");
        // A macro that writes what has no say in the count.
        const auto step = [](const std::string& use,
                             const std::string& body = "y = y * 2; y += 1") {
            return trips("#define STEP(y) " + body +
                         "\nvoid f(float x, int k) { int m = 8; for (int i = 0; i < 8; ++i) { " +
                         use + "; } }");
        };
        CHECK(step("STEP(x)") == "= 8");
        CHECK(step("STEP(m)") == "= 8");
        CHECK(step("STEP(i)") == "? input");
        CHECK(step("STEP(x)", "y = y * 2; i++") == "? input");
        CHECK(step("STEP(x)", "y = OTHER") == "= 8");
        CHECK(step("STEP(x)", "OTHER\n#define OTHER i++") == "? input");
        CHECK(step("STEP(x, 3)") == "? input");
        const std::string loop_macro = "#define FOR(i, n) for (int i = 0; i < (n); ++i)\n";
        CHECK(trips(loop_macro +
                    "#define STEP(y) y += 1\nvoid f(float x) { FOR(i, 8) { STEP(x); } }") == "= 8");
        CHECK(trips(loop_macro +
                    "#define STEP(y) y += 1\nvoid f(float x) { FOR(i, 8) { STEP(i); } }") ==
              "? input");
        CHECK(trips("#define STEP(y) y += 1\nvoid f(float x) { int m = 8; STEP(m); for (int i = 0; "
                    "i < m; "
                    "++i) { } }") == "? input");
    }

    TEST_CASE("a constant counts where it is seen, as the type holds it") {
        CHECK(
            trips(
                "static const int N = 60;\nvoid f(float x) { if (x > 9) { const int N = 8; x += N; "
                "} for (int i = 0; i < N; ++i) { } }") != "= 8");
        CHECK(trips("static const int8_t N = 300;\n" + loop("int i = 0; i < N; ++i")) != "= 300");
        CHECK(trips("static const uint N = 3;\n" + loop("uint i = 0; i < (N - 4) / 2 + 5; ++i")) !=
              "= 5");
        CHECK(trips("static const uint N = 3;\n" + loop("uint i = 0; i < (N - 1) / 2 + 5; ++i")) ==
              "= 6");
    }

    TEST_CASE("the upper bound of a number that may be negative does not survive unsigned") {
        CHECK(trips(loop("uint i = 0; i < uint(min(n, 8)); ++i")) == "? input");
        CHECK(trips(loop("uint i = 0; i < min(n, 8); ++i")) == "? input");
        CHECK(trips(loop("int i = 0; i < int(uint(min(n, 8)) / 2); ++i")) == "? input");
        CHECK(trips("static const int LOWEST = -1;\n" +
                    loop("uint i = 0; i < uint(clamp(n, LOWEST, 8)); ++i")) == "? input");
        CHECK(trips(loop("uint i = 0; i < uint(clamp(n, 0, 8)); ++i")) == "<= 8 input");
        CHECK(trips("void f(uint n) { for (uint i = 0; i < min(n, 8u); ++i) { } }") ==
              "<= 8 input");
    }

    TEST_CASE("where a bound comes from is said") {
        const ModuleText module(called("int n = min(int(outb[1]), 8); f(1, n);"));
        const TripCount count = trip_count(module.model, 0, {});
        CHECK(count.upper_from.find("min(") == 0);
        CHECK(count.upper_from.find("a.slang:3:") != std::string::npos);
        const ModuleText unknown(loop("int i = 0; i < n; ++i"));
        CHECK(trip_count(unknown.model, 0, {}).why_unknown == "no bound of 'n' is known");
    }

    TEST_CASE("what is set under a macro's name is set") {
        for (const char* write : {"NM += p;", "NM++;", "bump(NM);", "ID(n) = 9;"}) {
            CAPTURE(write);
            const ModuleText module("#define NM n\n#define ID(x) x\nvoid bump(inout int x) { x += "
                                    "5; }\nvoid f(int p) { int n = 4; " +
                                    std::string(write) + " for (int i = 0; i < n; i++) { } }\n");
            CHECK_FALSE(trip_count(module.model, 0, {}).exact);
        }
        const ModuleText counter(
            "#define I i\nvoid f() { for (int i = 0; i < 8; i++) { I++; } }\n");
        CHECK_FALSE(trip_count(counter.model, 0, {}).exact);
        for (const char* step : {"i INC;", "INC i;", "(i) ADD(1);", "i BACK;", "SET(i) 9;",
                                 "i NOTHING = i + 1;", "NOTHING i = i + 1;", "bump ARGS;"}) {
            CAPTURE(step);
            const ModuleText beside(
                "#define INC ++\n#define ADD(x) += x\n#define BACK -= 1 * int(i == 7)\n"
                "#define SET(x) x =\n#define NOTHING\n#define ARGS (i)\n"
                "void bump(inout int x) { x += 5; }\nvoid f() { for (int i = 0; i < 8; i++) { " +
                std::string(step) + " } }\n");
            CHECK_FALSE(trip_count(beside.model, 0, {}).exact);
        }
        const ModuleText element("#define STEPPED [0] += k\nvoid f(int k) { int n[1] = { 4 }; n "
                                 "STEPPED; for (int i = 0; i < n[0]; i++) { } }\n");
        CHECK_FALSE(trip_count(element.model, 0, {}).exact);
        const ModuleText other(
            "#define M m\nvoid f() { int m = 0; for (int i = 0; i < 8; i++) { M++; } }\n");
        CHECK(trip_count(other.model, 0, {}).exact == 8);
        const ModuleText read(
            "#define NM n\nvoid f() { int n = 4; for (int i = 0; i < NM; i++) { } }\n");
        CHECK(trip_count(read.model, 0, {}).why_unknown.find("NM in 'f'") == std::string::npos);
    }

    TEST_CASE("a macro that is a value of the counter does not set it; a size is unsigned") {
        const ModuleText square(
            "#define SQR(x) ((x) * (x))\nint f() { int s = 0; for (int i = -2; i "
            "<= 2; ++i) s += SQR(i); return s; }\n");
        CHECK(trip_count(square.model, 0, {}).exact == 5);
        for (const char* bound : {"min(v.size(0), 20u)", "min(v.size(0), 20)"}) {
            CAPTURE(bound);
            const ModuleText size("void f(TensorView<float> v) { let n = " + std::string(bound) +
                                  "; for (uint i = 0; i < n; i++) v[i] = 0; }\n");
            CHECK(trip_count(size.model, 0, {}).upper == 20);
        }
        const ModuleText mixed(
            "void f(TensorView<float> v, int k) { let n = min(k, 20); for (uint i "
            "= 0; i < n; i++) v[i] = 0; }\n");
        CHECK_FALSE(trip_count(mixed.model, 0, {}).upper);
    }

    TEST_CASE("calls that are not seen as such are callers, too") {
        const std::string run = "int run(int n) { int c = 0; for (int i = 0; i < n; i++) { c++; } "
                                "return c; }\n";
        const auto count = [&](const std::string& macro, const std::string& call) {
            const ModuleText module(macro + run + "int g() { return run(5) + " + call + "; }\n");
            return trip_count(module.model, 0, {});
        };
        CHECK(count("", "run(5)").exact == 5);
        CHECK(count("", "1 /* run(9) */").exact == 5);
        CHECK_FALSE(count("#define CALL run(9)\n", "CALL").exact);
        CHECK_FALSE(count("#define ARGS (9)\n", "run ARGS").exact);
        CHECK_FALSE(count("#define PASS(f, x) f(x)\n", "PASS(run, 9)").exact);
        CHECK_FALSE(count("#define W(x) x\n", "W(run)(9)").exact);
    }

    TEST_CASE("a number is never said to have no bound") {
        const std::string incomplete = "what the macro M does is not known";
        const std::pair<const char*, const char*> loops[] = {
            {"int k = 12; while (k-- > 0) x += 1;", "the value that 'k' starts at is not known: "},
            {"int m = 0; while (++m < 12) x += 1;", "the value that 'm' starts at is not known: "},
            {"int n = 12; n++; for (int i = 0; i < n; ++i) x += 1;",
             "'n' may be set where it is not seen: "},
        };
        for (const auto& [loop, reason] : loops) {
            CAPTURE(std::string(loop));
            // Defined in two ways: which one holds is not known.
            const ModuleText module(
                "#define M(a) (a)\n#undef M\n#define M(a) (2 * a)\nfloat f(float "
                "x)\n{\n    x = M(x);\n    " +
                std::string(loop) + "\n    return x;\n}\n");
            const std::string why = trip_count(module.model, 0, {}).why_unknown;
            CHECK(why == reason + incomplete);
        }
        // A macro that is a number by way of others sets nothing; one that names a variable uses
        // it.
        const std::string steps =
            "float f(float x)\n{\n    int k = ITER; x += N2;\n    while (k-- > 0) "
            "x += 1;\n    return x;\n}\n";
        const ModuleText numbers("#define ITER 12\n#define N2 (ITER * 2)\n" + steps);
        CHECK(trip_count(numbers.model, 0, {}).exact == 12);
        const ModuleText names("#define ITER 12\n#define N2 (a + 2)\nstatic int a;\n" + steps);
        CHECK(trip_count(names.model, 0, {}).exact == std::nullopt);
        // Without the macro they are counted.
        const ModuleText module("float f(float x)\n{\n    int k = 12;\n    while (k-- > 0) x += "
                                "1;\n    return x;\n}\n");
        CHECK(trip_count(module.model, 0, {}).exact == 12);
    }

    TEST_CASE("expressions that are the same text") {
        CHECK(same_expression("N+1", "( N + 1 )"));
        CHECK(same_expression("((N))", "N"));
        CHECK_FALSE(same_expression("(a) + (b)", "a) + (b"));
        CHECK_FALSE(same_expression("N", "M"));
    }
}
