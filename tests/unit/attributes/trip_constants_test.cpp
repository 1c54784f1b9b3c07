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
        CHECK(trips("static int N = 6; void g() { N = 7; }\n" + loop("int i = 0; i < N; ++i")) ==
              "? input");
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

    TEST_CASE("the size of an array, whatever holds it") {
        const auto of = [](const std::string& parameters, const std::string& end) {
            return trips("static const int K = 3; struct S { float held[6]; float any[K]; }\n"
                         "void f<let N : int>(" +
                         parameters + ") { for (int i = 0; i < " + end + "; ++i) { } }");
        };
        CHECK(of("float a[4]", "a.getCount()") == "= 4");
        CHECK(of("float a[2][5]", "a.getCount()") == "= 2");
        CHECK(of("float a[2][5]", "a[0].getCount() - 1") == "= 4");
        CHECK(of("Array<float, 7> a", "a.getCount()") == "= 7");
        CHECK(of("S s", "s.held.getCount()") == "= 6");
        CHECK(of("float a[N]", "a.getCount()") == "= N");
        CHECK(of("float a[]", "a.getCount()") == "? input");
        CHECK(of("Unseen a", "a.getCount()") == "? input");
    }

    TEST_CASE("upwards to a generic value from a number") {
        const std::string f = "void f<let N : int>(int n) { for (";
        CHECK(trips(f + "int i = 1; i < N; i++) { } }") == "= N - 1");
        CHECK(trips(f + "int i = 1; i <= N; i++) { } }") == "= N");
        CHECK(trips(f + "int i = 3; i < N + 1; i++) { } }") == "= N - 2");
        CHECK(trips(f + "int i = 1; i < N * 2; i++) { } }") == "= (N*2) - 1");
        CHECK(trips(f + "int i = 1; i < N + 4; i++) { } }") == "= N + 3");
        CHECK(trips(f + "int i = -1; i < N; i++) { } }") == "? input");
        CHECK(trips(f + "int i = 1; i < N; i += 2) { } }") == "? input");
        CHECK(trips(f + "int i = 1; i < n; i++) { } }") == "? input");
    }

    TEST_CASE("no more than a generic value") {
        const std::string f = "void f<let N : int>(int n, uint u) { for (";
        CHECK(trips(f + "int i = 0; i < min(n, N); i++) { } }") == "<= N input");
        CHECK(trips(f + "int i = 2; i <= min(n, min(N * 2, 9)); i++) { } }") == "<= 8 input");
        CHECK(trips(f + "int i = 0; i <= min(n, N); i++) { } }") == "<= N + 1 input");
        CHECK(trips(f + "int i = 0; i < n && i < N; i++) { } }") == "<= N input");
        CHECK(trips(f + "uint i = u; i < N; i++) { } }") == "<= N input");
        CHECK(trips(f + "int k = 0; k < 4; k++) for (int i = k + 1; i < N; i++) { } }", {}, 1) ==
              "<= N input");
        // What may be negative.
        CHECK(trips(f + "int i = n; i < N; i++) { } }") == "? input");
        CHECK(trips(f + "uint i = 0; i < min(n, N); i++) { } }") == "? input");
        CHECK(trips(f + "int i = 0; i < max(n, N); i++) { } }") == "? input");
        CHECK(trips(f + "uint i = u; i < N; i += 2) { } }") == "? input");
        CHECK(trips("int min(int a, int b) { return a + b; }\n" + f +
                    "int i = 0; i < min(n, N); i++) { } }") == "? input");
        CHECK(trips("void f<let N : int>(uint u) { uint i = u; do { i++; } while (i < N); }") ==
              "? input");
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

    TEST_CASE("constants of namespaces") {
        const std::string two = "namespace cfg { static const int N = 5; namespace deep { static "
                                "const int Q = 3; } }\nnamespace other { static const int N = 9; "
                                "void g() { for (int i = 0; i < N; ++i) { } } }\n";
        CHECK(trips(two) == "= 9");
        CHECK(trips(two + loop("int i = 0; i < cfg::N; ++i"), {}, 1) == "= 5");
        CHECK(trips(two + loop("int i = 0; i < cfg.N + other.N; ++i"), {}, 1) == "= 14");
        CHECK(trips(two + loop("int i = 0; i < cfg::deep::Q; ++i"), {}, 1) == "= 3");
        CHECK(trips(two + loop("int i = 0; i < cfg::M; ++i"), {}, 1) == "? input");
        CHECK(trips(two + loop("int i = 0; i < N; ++i"), {}, 1) == "? input");
        CHECK(trips("namespace A::B { static const int N = 4; }\n" +
                    loop("int i = 0; i < A::B::N; ++i")) == "= 4");
        CHECK(trips("namespace cfg { static int N = 5; void g() { N = 6; } }\n" +
                    loop("int i = 0; i < cfg::N; ++i")) == "? input");
        // What N is where M is declared it is not in `other`.
        CHECK(trips("namespace cfg { static const int N = 5; static const int M = N * 2; }\n"
                    "namespace other { static const int N = 9; void g() { for (int i = 0; i < "
                    "cfg::M; ++i) { } } }\n") == "? input");
        const ModuleText chosen("namespace cfg {\n#if WIDE\nstatic const int N = 50;\n#else\n"
                                "static const int N = 5;\n#endif\n}\n" +
                                loop("int i = 0; i < cfg::N; ++i"));
        CHECK(trip_count(chosen.model, 0, {}).condition == "a.slang:2:1");
    }

    TEST_CASE("components of constant vectors") {
        const auto of = [](const std::string& vector, const std::string& end) {
            return trips(vector + "\n" + loop("int i = 0; i < " + end + "; ++i"));
        };
        CHECK(of("static const int2 S = int2(3, 4);", "S.y") == "= 4");
        CHECK(of("static const int3 S = { 3, 4, 5 };", "S.b + S[0]") == "= 8");
        CHECK(of("static const uint4 S = uint4(7);", "S.w") == "= 7");
        CHECK(of("namespace m { static const int2 S = int2(3, 4); }", "m::S.x") == "= 3");
        CHECK(of("struct T { static const int2 S = int2(3, 4); }", "T.S.y") == "= 4");
        CHECK(of("static const int2 S = int2(3, 4);", "S[10]") == "? input");
        CHECK(of("static const int2 S = int2(3, 4);", "S.z") == "? input");
        CHECK(of("static const int3 S = int3(int2(3, 4), 5);", "S.y") == "? input");
        CHECK(of("static const int2 A = int2(3, 4); static const int2 S = int2(A);", "S.y") ==
              "? input");
        CHECK(of("static const float2 S = float2(3, 4);", "S.y") == "? input");
        CHECK(of("static const int2 S = uint2(3, 4);", "S.y") == "? input");
        CHECK(of("static const int2 S = { 3 };", "S.y") == "? input");
        CHECK(of("uniform int2 S;", "S.y") == "? input");
        CHECK(trips("void f() { const int2 s = int2(3, 4); for (int i = 0; i < s.y; ++i) { } }") ==
              "= 4");
        CHECK(
            trips("void f() { int2 s = int2(3, 4); s.y = 9; for (int i = 0; i < s.y; ++i) { } }") ==
            "? input");
    }

    TEST_CASE("a static that nothing in the module writes") {
        const auto of = [](const std::string& more, const std::string& value = " = 6") {
            return trips("void set(inout int a) { a = 9; }\nint twice(int a) { return 2 * a; }\n"
                         "static int N" +
                         value + ";\n" + loop("int i = 0; i < N; ++i") + "\n" + more);
        };
        CHECK(of("") == "= 6");
        CHECK(of("void g(int k) { int a = N + twice(N) + min(N, k); }") == "= 6");
        CHECK(of("// N = 7\nvoid g() { int N = 3; N = 4; }") == "= 6");
        const ModuleText module("static int N = 6;\n" + loop("int i = 0; i < N; ++i"));
        CHECK(trip_count(module.model, 0, {}).from_callers);
        for (const char* more :
             {"void g() { N = 7; }", "void g() { N += 1; }", "void g() { --N; }",
              "void g() { ::N = 7; }", "void g() { set(N); }", "void g() { set((N)); }",
              "void g() { unseen(N); }", "void g() { int* p = &N; *p = 7; }", "#define SET N = 7\n",
              "#define SET(x) x = 7\nvoid g() { SET(N); }",
              "#if MORE\nvoid g() { N = 7; }\n#endif\n", "#define INC ++\nvoid g() { N INC; }",
              "void g(int N) { N = 7; }", "void g() { N = ; }",
              "int h(int k[9]) { return k[N++]; }", "namespace m { static int N = 5; }"}) {
            CAPTURE(std::string(more));
            CHECK(of(more) == "? input");
        }
        CHECK(of("", "") == "? input");
        CHECK(of("", " = 6.5") == "? input");
        CHECK(trips("struct S { static int N = 6; }\n" + loop("int i = 0; i < S.N; ++i")) ==
              "? input");
        const ModuleText included(ModuleText::Files{
            {"/p/a.slang", "#include \"b.slangh\"\n" + loop("int i = 0; i < N; ++i")},
            {"/p/b.slangh", "static int N = 6;\n"}});
        CHECK_FALSE(trip_count(included.model, 0, {}).upper);
        const ModuleText written(
            ModuleText::Files{{"/p/a.slang", "#include \"b.slangh\"\nstatic int N = 6;\n" +
                                                 loop("int i = 0; i < N; ++i")},
                              {"/p/b.slangh", "static int N;\nvoid g() { N = 7; }\n"}});
        CHECK_FALSE(trip_count(written.model, 0, {}).upper);
    }

    TEST_CASE("functions that return a constant, or a generic value of their type") {
        const std::string types =
            "static const int COUNT = 3;\nstruct V { int six() { return 6; } uint many() { return "
            "300; } uint8_t few() { return 300; } int all() { return COUNT * 2; } int n; int own() "
            "{ "
            "return n; } int below(int k) { return k; } static int seven() { return 7; } }\n"
            "struct W<let K : int> { float a[K]; int count() { return K; } int twice() { return K "
            "* 2; } }\ninterface I { int count(); } struct A : I { int count() { return 4; } }\n";
        const auto of = [&](const std::string& end, const std::string& start = "0") {
            return trips(types +
                         "void f<let N : int, T : I>(V v, W<4> w, W<N> g, T t) { for (int i "
                         "= " +
                         start + "; i < " + end + "; ++i) { } }");
        };
        CHECK(of("v.six()") == "= 6");
        CHECK(of("int(v.many()) - 1") == "= 299");
        CHECK(of("v.all() + V.seven()") == "= 13");
        CHECK(of("w.count()") == "= 4");
        CHECK(of("w.twice() + 1") == "= 9");
        CHECK(of("g.count()") == "= N");
        CHECK(of("g.count() - 1") == "= N-1");
        CHECK(of("g.twice()") == "? input");
        CHECK(of("v.few()") == "? input");
        CHECK(of("v.own()") == "? input");
        CHECK(of("v.below(3)") == "? input");
        CHECK(of("t.count()") == "? input");
        CHECK(of("x.six()") == "? input");
        CHECK(
            trips("struct W<let K : int> { int count() { return K; } void m() { for (int i = 0; i "
                  "< count(); ++i) { } } }") == "= K");
        CHECK(trips("struct W<let K : int> { int count() { return K; } void m() { int K = 3; for "
                    "(int i = 0; i < count() + K - K; ++i) { } } }") == "? input");
        CHECK(trips("struct W<let K : int> { int count() { return K; } void m(W<9> w) { for (int i "
                    "= 0; i < w.count(); ++i) { } } }") == "= 9");
        CHECK(trips("int six(int a) { return a > 1 ? 6 : 6; }\n" +
                    loop("int i = 0; i < six(n); ++i")) == "? input");
        const ModuleText chosen("int six() {\n#if WIDE\nreturn 60;\n#else\nreturn 6;\n#endif\n}\n" +
                                loop("int i = 0; i < six(); ++i"));
        CHECK_FALSE(trip_count(chosen.model, 0, {}).exact);
        const ModuleText one("#if WIDE\nint six() { return 60; }\n#else\nint six() { return 6; "
                             "}\n#endif\n" +
                             loop("int i = 0; i < six(); ++i"));
        CHECK(trip_count(one.model, 0, {}).condition == "a.slang:1:1");
    }
}
