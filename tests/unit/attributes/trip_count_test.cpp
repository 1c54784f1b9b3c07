#include "attributes/trip_count.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

/// Of the first loop: "= 8", "= N", "<= 8", "?" where nothing is proved; "promised" where a range
/// says it, "input" where it differs from run to run.
std::string trips(const std::string& text, const Promises& promises = {}) {
    const ModuleText module(text);
    REQUIRE_FALSE(module.model.loops.empty());
    const TripCount count = trip_count(module.model, 0, promises);
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

    TEST_CASE("a name that is not constant is not taken for one") {
        CHECK(trips("static int N = 6;\n" + loop("int i = 0; i < N; ++i")) == "? input");
        CHECK(trips("uniform int N;\n" + loop("int i = 0; i < N; ++i")) == "? input");
        CHECK(trips("static const int n = 6;\n" + loop("int i = 0; i < n; ++i")) == "? input");
        CHECK(trips("void f() { int n = 4; n = 9; for (int i = 0; i < n; ++i) { } }") == "? input");
        CHECK(trips("void f() { int n = 4; for (int i = 0; i < n; ++i) { n++; } }") == "? input");
        CHECK(trips("void set(out int a) { a = 9; } void f() { int n = 4; set(n); for (int i = 0; "
                    "i < n; ++i) { } }") == "? input");
        CHECK(trips("void f(bool b) { int n = 4; if (b) { int n = 9; } for (int i = 0; i < n; ++i) "
                    "{ } }") != "= 9");
    }

    TEST_CASE("a macro that is defined again means what it meant at the loop") {
        CHECK(trips("#define N 8\n" + loop("int i = 0; i < N; ++i") +
                    "\n#undef N\n#define N 4\n") != "= 4");
        CHECK(trips("#define N 4\n" + loop("int i = 0; i < N; ++i") + "\n#undef N\n") != "= 8");
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
        CHECK(trips("void f(int n) { for (int i = 0; i < max(min(n, 4), 6); ++i) { } }") ==
              "<= 6 input");
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
                    "x; }\nvoid g() { f(1, 8); }") == "? input");
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
        CHECK(trip_count(unknown.model, 0, {}).why_unknown == "nothing bounds 'n'");
    }

    TEST_CASE("expressions that are the same text") {
        CHECK(same_expression("N+1", "( N + 1 )"));
        CHECK(same_expression("((N))", "N"));
        CHECK_FALSE(same_expression("(a) + (b)", "a) + (b"));
        CHECK_FALSE(same_expression("N", "M"));
    }
}
