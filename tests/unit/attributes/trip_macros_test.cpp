#include "trip_words.h"

using namespace slimgrad;

TEST_SUITE("attributes/trip_count") {
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

    TEST_CASE("the text of a macro binds where it is used") {
        CHECK(trips("#define N 2 + 1\n" + loop("int i = 0; i < N * 2; ++i")) == "? input");
        CHECK(trips("#define N (2 + 1)\n" + loop("int i = 0; i < N * 2; ++i")) == "= 6");
        CHECK(trips("#define N 2 + 1\n" + loop("int i = 0; i < N; ++i")) == "= 3");
        CHECK(trips("#define N 6 & 3\n" + loop("int i = 0; i < N; ++i")) == "? input");
        CHECK(trips("#define N 2 + 1\nvoid f(int n) { for (int i = 0; i < min(n, 9) - N; ++i) { } "
                    "}") == "? input");
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

    TEST_CASE("a macro that names a constant only reads the counter") {
        const std::string index = "RWStructuredBuffer<int> o;\n"
                                  "#define IDX(i, j) ((i) * NX + (j))\n";
        const std::string body =
            "int NX = 8;\nvoid f() { for (int i = 0; i < 4; i++) o[IDX(i, 1)] = 1; }";
        CHECK(trips(index + "static const " + body) == "= 4");
        CHECK(trips("struct C { int operator*(int x); }\n" + index + "static C NX;\n" +
                    body.substr(body.find("void")))
                  .starts_with("?"));
    }

    TEST_CASE("a macro that reads the counter, and a pointer's memory") {
        const auto with = [](const std::string& macro, const std::string& use) {
            return trips("#define M" + macro +
                         "\nint f(int a[8], int x) { int s = 0; for (int i = 0; i < 8; i++) { " +
                         use + "; } return s; }");
        };
        CHECK(with("(a, i) a[i]", "s += M(a, i)") == "= 8");
        CHECK(with("(a, i) a[(i) + 1]", "s += M(a, i)") == "= 8");
        CHECK(with("(i) printf(\"%d\", i)", "M(i)") == "= 8");
        CHECK(with("(i) ((i) < 3 ? 1 : 2)", "s += M(i)") == "= 8");
        CHECK(with("(i) max(i, 3)", "s += M(i)") == "= 8");
        CHECK(with("(a, i) a[i]", "M(i, 0) = 3") == "? input");
        CHECK(with("(a, i) a[i++]", "s += M(a, i)") == "? input");
        CHECK(with("(i) (i)", "M(i) = 3") == "? input");
        CHECK(with("(i) ((i))", "M(i)++") == "? input");
        CHECK(with("(a, i) a + i", "s = M(s, i)++") == "? input");
        CHECK(with("(i) printf(\"%d\", i++)", "M(i)") == "? input");
        CHECK(with("(a, i) frexp(a, i)", "M(x, i)") == "? input");
        const ModuleText pointer(
            "void f(int* p, int* e) { for (; p != e; p++) { *p = 3; p[1] = 2; } }");
        CHECK(trip_count(pointer.model, 0, {}).why_unknown ==
              "the text does not say that 'p' is an integer of its own");
        const ModuleText moved(
            "void f(int* p, int* e) { for (; p != e; p++) { *p = 3; p += 2; } }");
        CHECK(trip_count(moved.model, 0, {}).why_unknown == "its body writes 'p'");
    }
}
