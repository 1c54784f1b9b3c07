#include "trip_words.h"

using namespace slimgrad;

TEST_SUITE("attributes/trip_count") {
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

    TEST_CASE("functions of one's own that are called like built-in ones say nothing") {
        CHECK(trips("int min(int a, int b) { return a + b; }\n" +
                    loop("int i = 0; i < min(3, 4); ++i")) == "? input");
        CHECK(trips("#define max(a, b) ((a) + (b))\n" + loop("int i = 0; i < max(3, 4); ++i")) ==
              "? input");
        CHECK(trips("int clamp(int a, int b, int c) { return a; }\n" +
                    loop("int i = 0; i < clamp(n, 0, 4); ++i")) == "? input");
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
}
