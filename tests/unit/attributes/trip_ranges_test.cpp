#include "trip_words.h"

using namespace slimgrad;

TEST_SUITE("attributes/trip_count") {
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
}
