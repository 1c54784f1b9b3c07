#include "attributes/conditional_text.h"

#include "attributes/trip_count.h"
#include "module_text.h"

using namespace slimgrad;

namespace {

const std::string loop_of_k =
    "float f(float x)\n{\n    int n = K;\n    for (int i = 0; i < n; ++i) x "
    "+= 1;\n    return x;\n}\n";

std::string condition(const ModuleText::Files& files) {
    const ModuleText module(files);
    REQUIRE(module.model.loops.size() == 1);
    const TripCount trips = trip_count(module.model, 0, module.promises);
    CHECK(trips.exact == 16);
    return trips.condition;
}

std::string condition(const std::string& body) {
    return condition(ModuleText::Files{
        {"/p/a.slang", "#define N 16\nfloat f(float x)\n{\n" + body + "    return x;\n}\n"}});
}

} // namespace

TEST_SUITE("attributes/conditional_text") {
    TEST_CASE(
        "an #if in the loop's head, or where its counter and end are set, decides its trips") {
        const char* bodies[] = {
            "for (int i = 0; i <\n#if N > 20\n32\n#else\n16\n#endif\n; ++i) x += 1;\n",
            "#if N > 20\nfor (int i = 0; i < 32; i++)\n#else\nfor (int i = 0; i < 16; "
            "i++)\n#endif\nx += 1;\n",
            "for (int i =\n#if N > 20\n0\n#else\n16\n#endif\n; i < 32; ++i) x += 1;\n",
            "for (int i = 0; i < 32; i +=\n#if N > 20\n1\n#else\n2\n#endif\n) x += 1;\n",
            "int n = 16;\n#if N > 20\nn = 32;\n#endif\nfor (int i = 0; i < n; ++i) x += 1;\n",
            "#if N > 20\nconst int n = 32;\n#else\nconst int n = 16;\n#endif\nfor (int i = 0; i < "
            "n; ++i) x += 1;\n",
            "int n =\n#if N > 20\n32\n#else\n16\n#endif\n;\nfor (int i = 0; i < n; ++i) x += 1;\n",
            "int n = 16;\n#if N > 20\nn *= 2;\n#endif\nfor (int i = 0; i < n; ++i) x += 1;\n",
            "int n = 16, i = 0;\nwhile (i < n) {\nx += 1;\n#ifdef SLOW\nn++;\n#endif\ni++; }\n",
            "int n = 16;\n# if 0 /* #endif */\nn = 32;\n# endif\nfor (int i = 0; i < n; ++i) x += "
            "1;\n",
        };
        for (const char* body : bodies) {
            CAPTURE(std::string(body));
            CHECK(condition(body) != "");
        }
        CHECK(condition(bodies[4]) == "a.slang:5:1");
    }

    TEST_CASE("one that chooses among a loop's attributes does not decide its trips") {
        CHECK(condition("#if N > 20\n[ForceUnroll] // all\n#elif N > 8\n[MaxIters(16)]\n#endif\n"
                        "for (int i = 0; i < 16; ++i) x += 1;\n") == "");
        CHECK(condition("#if N > 8\n[MaxIters(16), A(\"]\")]\n#endif\n[B] for (int i = 0; i < 16; "
                        "++i) x += 1;\n") == "");
        CHECK(condition("int n = 16;\n#if N > 20\nn = 32; [MaxIters(32)]\n#else\n[MaxIters(16)]"
                        "\n#endif\nfor (int i = 0; i < n; ++i) x += 1;\n") != "");
        CHECK(condition("#if N > 20\n#define M 32\n[MaxIters(32)]\n#else\n#define M 16\n"
                        "[MaxIters(16)]\n#endif\nfor (int i = 0; i < M; ++i) x += 1;\n") != "");
    }

    TEST_CASE("one behind the loop, or around all of the function, does not") {
        CHECK(condition("for (int i = 0; i < 16; ++i) x += 1;\n#if N > 20\nx = 0;\n#endif\n") ==
              "");
        CHECK(condition("// #if N\nfor (int i = 0; i < 16; ++i) x += 1;\n/*\n#if N\n*/\n") == "");
        CHECK(condition({{"/p/a.slang", "#if 0\nint g() { return 1; }\n#else\nstatic const int K = "
                                        "16;\n" +
                                            loop_of_k + "#endif\n"}}) == "");
    }

    TEST_CASE("one between statements that set nothing the trips rest on does not") {
        const char* bodies[] = {
            "#if N > 20\nx = 0;\n#endif\nfor (int i = 0; i < 16; ++i) x += 1;\n",
            "int n = 16;\n#if N > 20\nx *= 2;\n#elif N > 30\nx = x + 1;\n#else\n{ float y = x; x = "
            "y; }\n#endif\nfor (int i = 0; i < n; ++i) x += 1;\n",
            "int n = 16;\nfor (int i = 0; i < n; ++i) {\n#ifdef DEBUG\nx += n * i;\nx = "
            "i;\n#endif\nx += 1;\n}\n",
            "int n = 16;\n#if N > 20\nif (n > 3) x += 1; else x = n - 2;\n#endif\nfor (int i = 0; "
            "i "
            "< n; ++i) x += 1;\n",
            "#define TWICE(v) ((v) * 2)\nint n = 16;\n#if N > 20\nx = TWICE(x);\n#endif\nfor (int "
            "i = "
            "0; i < n; ++i) x += 1;\n",
            "int n = 16, i = 0;\nwhile (i < n) {\n#ifdef SLOW\nx += 1; /* n = 3; */\n#endif\ni++; "
            "}\n",
        };
        for (const char* body : bodies) {
            CAPTURE(std::string(body));
            CHECK(condition(body) == "");
        }
    }

    TEST_CASE("what may set such a variable, leave, or is no whole statement does") {
        const auto with_16 = [](const std::string& group, const std::string& in_loop = "") {
            return condition("int n = 16, m = 4;\nint j = 0;\n" + group +
                             "for (int i = 0; i < n; ++i) "
                             "{\n" +
                             in_loop + "x += 1;\n}\n");
        };
        CHECK(with_16("#if N > 20\nx = 1;\n#endif\n") == "");
        for (const char* group :
             {"if (n > 99) n = 32; ", "n++; ", "--n; ", "n <<= 1; ", "int n = 32; ", "x = n = 32; ",
              "InterlockedAdd(n, 16); ", "x = n++ + 1; ", "if (x > 1) return x; ", "SET ",
              "set(n); ", "x = 1; if (x > 2) ", "for (int k = 0; k < 3; ++k) ", "} { ",
              "x = 1; } else { ", "DEFINE(n, 3); "}) {
            CAPTURE(std::string(group));
            CHECK(with_16("#if N > 20\n" + std::string(group) + "\n#endif\n") != "");
        }
        for (const char* group : {"break; ", "if (x > 2) continue; ", "i++; ", "n = 20; "}) {
            CAPTURE(std::string(group));
            CHECK(with_16("", "#if N > 20\n" + std::string(group) + "\n#endif\n") != "");
        }
        CHECK(with_16("if (x > 1)\n#if N > 20\nx = 1;\n#else\nx = 2;\n#endif\n") != "");
        CHECK(with_16("if (x > 1) x = 3;\n#if N > 20\nx = 1;\n#endif\nelse x = 4;\n") != "");
        CHECK(with_16("#if N > 20\n#define n 32\n#endif\n") != "");
        CHECK(with_16("#if N > 20\n#include \"other.slangh\"\n#endif\n") != "");
        // By way of what n is set from, and by a macro that only the other branch has.
        CHECK(condition("int m = 4;\n#if N > 20\nm = 8;\n#endif\nint n = m * 4;\nfor (int i = 0; i "
                        "< n; ++i) x += 1;\n") != "");
        CHECK(condition(
                  {{"/p/a.slang",
                    "#if N > 20\n#define TUNE n = 32\n#else\n#define TUNE\n#endif\nfloat "
                    "f(float x)\n{\nint n = 16;\n#if N > 20\nTUNE;\n#endif\nfor (int i = 0; i < "
                    "n; ++i) x += 1;\nreturn x;\n}\n"}}) != "");
        CHECK(condition(
                  {{"/p/a.slang", "float f(float x\n#if N > 20\n, int n = 32\n#endif\n)\n{\nfor "
                                  "(int i = 0; i < 16; ++i) x += 1;\nreturn x;\n}\n"}}) != "");
    }

    TEST_CASE("a constant that an #if chooses is followed through files, guards are not counted") {
        const std::string chosen = "#if FINE\nstatic const int K = 32;\n#else\nstatic const int K "
                                   "= 16;\n#endif\n";
        CHECK(condition({{"/p/a.slang", chosen + loop_of_k}}) == "a.slang:1:1");
        CHECK(
            condition({{"/p/a.slang", "static const int K =\n#if FINE\n32\n#else\n16\n#endif\n;\n" +
                                          loop_of_k}}) == "a.slang:2:1");
        CHECK(condition({{"/p/a.slang", "#include \"k.slangh\"\n" + loop_of_k},
                         {"/p/k.slangh", chosen}}) == "k.slangh:1:1");
        const std::string guarded =
            "// guarded\n#ifndef K_H\n#define K_H\nstatic const int K = 16;\n#endif // K_H\n";
        CHECK(condition({{"/p/a.slang", "#include \"k.slangh\"\n" + loop_of_k},
                         {"/p/k.slangh", guarded}}) == "");
        CHECK(condition({{"/p/a.slang", "#if FINE\n#include \"fine.slangh\"\n#else\n#include "
                                        "\"k.slangh\"\n#endif\n" +
                                            loop_of_k},
                         {"/p/k.slangh", guarded}}) == "a.slang:4:1");
        CHECK(condition({{"/p/a.slang", "#define FILE \"k.slangh\"\n#include FILE\n" + loop_of_k},
                         {"/p/k.slangh", guarded}}) == "a.slang:2:1");
        // The loop stands beside it.
        CHECK(condition(
                  {{"/p/a.slang", "#if 1\n#include \"k.slangh\"\n#endif\n"},
                   {"/p/k.slangh", "#pragma once\nstatic const int K = 16;\n" + loop_of_k}}) == "");
    }

    TEST_CASE("an enum's values follow from those before them") {
        CHECK(condition(
                  {{"/p/a.slang", "enum E { K0 = 15,\n#if FINE\nZ, Y,\n#endif\nK1 }\nfloat "
                                  "f(float x)\n{\n    int n = int(E.K1);\n    for (int i = 0; "
                                  "i < n; ++i) x += 1;\n    return x;\n}\n"}}) == "a.slang:2:1");
    }

    TEST_CASE("a function that may set the end, if an #if chooses it") {
        CHECK(
            condition({{"/p/a.slang", "#if FINE\nvoid tweak(inout int n) { n = 32; }\n#else\nvoid "
                                      "tweak(int n) {}\n#endif\nfloat f(float x)\n{\n    int n = "
                                      "16;\n    tweak(n);\n    for (int i = 0; i < n; ++i) x += "
                                      "1;\n    return x;\n}\n"}}) == "a.slang:1:1");
    }

    TEST_CASE("an argument that an #if chooses decides, too") {
        const auto calls = [](const std::string& set) {
            return ModuleText::Files{
                {"/p/a.slang",
                 "void f(int n)\n{\n    for (int i = 0; i < n; ++i) { }\n}\nvoid g(int "
                 "m)\n{\n" +
                     set + "    f(n);\n}\n"}};
        };
        CHECK(condition(calls("    int n = 16;\n#if FINE\n    n = 32;\n#endif\n")) ==
              "a.slang:8:1");
        CHECK(condition(calls("    int n = 16;\n")) == "");
        CHECK(condition(calls("    int n = 16;\n#if FINE\n    f(60);\n#endif\n")) == "a.slang:8:1");
        CHECK(condition(calls("#if FINE\n    int n = 60;\n#else\n    int n = 16;\n#endif\n")) ==
              "a.slang:7:1");
        CHECK(condition(calls(
                  "    int n = 16;\n    f(n);\n}\n#if FINE\nvoid h() { f(60); }\n#endif\nvoid "
                  "k()\n{\n    int n = 16;\n")) == "a.slang:10:1");
    }

    TEST_CASE("what a loop takes from the loop around it has its condition") {
        const ModuleText module(
            "#define N 16\nfloat f(float x)\n{\n    for (int j = 0; j < N; j += "
            "2)\n        for (int i = 0; i < j; ++i) x += 1;\n    return "
            "x;\n}\n");
        const TripCount trips = trip_count(module.model, 1, module.promises);
        CHECK(trips.upper == 14);
        CHECK(trips.uses_macro);
    }
}
