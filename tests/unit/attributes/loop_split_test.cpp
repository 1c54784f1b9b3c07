#include "attributes/loop_split.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

constexpr const char* kernel =
    "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p = diffPair(outb[0], "
    "0.f); bwd_diff(f)(p, int(outb[2]), 1.f); outb[1] = p.d; }\n";

/// A differentiated function with this body, between `float v = x;` and `return v;`.
std::string function(const std::string& body, const std::string& before = "") {
    return "RWStructuredBuffer<float> outb;\n[Differentiable] float step(float v) { return sin(v) "
           "* "
           "v; }\n" +
           before + "[Differentiable]\nfloat f(float x, int n)\n{\n    float v = x;\n" + body +
           "    return v;\n}\n" + kernel;
}

std::vector<Finding> findings(const std::string& text, bool searching = false,
                              const std::string& type = "FixedArray<float, 50>") {
    ModuleText module(text);
    module.store("f", "float v = x", 6, type, 200);
    RuleInput input = module.input();
    input.searching = searching;
    return loop_split(input);
}

/// What the only fix makes of the body, or why there is none.
std::string offered(const std::string& body, const std::string& before = "") {
    ModuleText module(function(body, before));
    module.store("f", "float v = x", 6, "FixedArray<float, 50>", 200);
    const auto found = loop_split(module.input());
    if (found.empty())
        return "silent";
    REQUIRE(found.size() == 1);
    CHECK((found[0].severity == Severity::note) == found[0].fixes.empty());
    if (found[0].fixes.empty())
        return found[0].why_not.at(0);
    CHECK(found[0].fixes.size() == 1);
    CHECK(found[0].fixes[0].applicability == Applicability::safe);
    const std::string text = module.after(found[0].fixes[0]);
    const auto begin = text.find("float v = x;\n") + 13;
    return text.substr(begin, text.rfind("    return v;\n}\n") - begin);
}

} // namespace

TEST_SUITE("attributes/loop_split") {
    TEST_CASE("a number of trips that is a multiple") {
        CHECK(offered(
                  "    [MaxIters(48)]\n    for (int i = 0; i < 48; ++i)\n        v = step(v);\n") ==
              "    [MaxIters(6)]\n"
              "    for (int first = 0; first < 48; first += 8)\n"
              "    {\n"
              "        [ForceUnroll]\n"
              "        for (int trip = 0; trip < 8; trip++)\n"
              "            v = step(v);\n"
              "    }\n");
        CHECK(offered("    for (int i = 0; i < 48; ++i) { v = step(v) * i; }\n") ==
              "    [MaxIters(6)]\n"
              "    for (int first = 0; first < 48; first += 8)\n"
              "    {\n"
              "        [ForceUnroll]\n"
              "        for (int trip = 0; trip < 8; trip++)\n"
              "        {\n"
              "            int i = first + trip;\n"
              "            v = step(v) * i;\n"
              "        }\n"
              "    }\n");
        // The counter is declared as it was, and comments stay.
        CHECK(offered("    // all\n"
                      "    for (uint i = 2u; i <= 31u; i += 1) {\n"
                      "        // one\n"
                      "        v = step(v) + i; // trip\n"
                      "    }\n") == "    // all\n"
                                    "    [MaxIters(5)]\n"
                                    "    for (uint first = 2u; first <= 31u; first += 6)\n"
                                    "    {\n"
                                    "        [ForceUnroll]\n"
                                    "        for (uint trip = 0; trip < 6; trip++)\n"
                                    "        {\n"
                                    "            uint i = first + trip;\n"
                                    "            // one\n"
                                    "            v = step(v) + i; // trip\n"
                                    "        }\n"
                                    "    }\n");
    }

    TEST_CASE("falling counters and other steps") {
        const std::string falls = offered("    for (int i = 40; i > 0; i--) v = step(v) * i;\n");
        CHECK(falls.find("    [MaxIters(5)]\n    for (int first = 40; first > 0; first -= 8)\n") ==
              0);
        CHECK(falls.find("int i = first - trip;\n") != falls.npos);
        const std::string steps = offered("    for (int i = 0; i < 96; i += 2) v = step(v) * i;\n");
        CHECK(steps.find("for (int first = 0; first < 96; first += 16)\n") != steps.npos);
        CHECK(steps.find("int i = first + trip * 2;\n") != steps.npos);
    }

    TEST_CASE("a constant with a name keeps its test, which costs nothing where it is a multiple") {
        const std::string loop = "    for (int i = 0; i < N; ++i) v = step(v);\n";
        CHECK(offered(loop, "static const int N = 48;\n") ==
              "    [MaxIters((N + 7) / 8)]\n"
              "    for (int first = 0; first < N; first += 8)\n"
              "    {\n"
              "        [ForceUnroll]\n"
              "        for (int trip = 0; trip < 8; trip++)\n"
              "        {\n"
              "            int i = first + trip;\n"
              "            if (N % 8 == 0 || i < N)\n"
              "                v = step(v);\n"
              "        }\n"
              "    }\n");
        // One trip is left over: the test of each but the first of a block is seen both ways.
        CHECK(offered(loop, "static const int N = 41;\n").find("            if (i < N)\n") !=
              std::string::npos);
        CHECK(offered(loop, "#define N 48\n").find("if (N % 8 == 0 || i < N)\n") !=
              std::string::npos);
    }

    TEST_CASE("an end that is known only when the loop runs") {
        CHECK(offered(
                  "    [MaxIters(20)]\n    for (int i = 0; i < n; ++i)\n    {\n        if (v > 1) "
                  "continue;\n        v = step(v);\n    }\n") ==
              "    [MaxIters(3)]\n"
              "    for (int first = 0; first < n; first += 8)\n"
              "    {\n"
              "        [ForceUnroll]\n"
              "        for (int trip = 0; trip < 8; trip++)\n"
              "        {\n"
              "            int i = first + trip;\n"
              "            if (trip == 0 || i < n)\n"
              "            {\n"
              "                if (v > 1) continue;\n"
              "                v = step(v);\n"
              "            }\n"
              "        }\n"
              "    }\n");
        CHECK(offered("    [MaxIters(20)] for (int i = 0; i < n; ++i) { v = step(v); n--; }\n") ==
              "its end 'n' may not stay the same");
        CHECK(offered("    [MaxIters(20)] for (int i = 0; i < int(outb[3]); ++i) v = step(v);\n") ==
              "its end may not stay the same");
        CHECK(offered("    for (int i = 0; i < n; ++i) v = step(v);\n") == "silent");
    }

    TEST_CASE("new names are free") {
        const std::string text =
            offered("    float first = 1, trip = 2;\n    for (int i = 0; i < 48; "
                    "++i) v = step(v) * first * trip;\n");
        CHECK(text.find("for (int first2 = 0; first2 < 48; first2 += 8)") != text.npos);
        CHECK(text.find("for (int trip2 = 0; trip2 < 8; trip2++)") != text.npos);
    }

    TEST_CASE("what cannot be cut stays") {
        CHECK(offered("    for (int i = 0; i < 48; ++i) { v = step(v); if (v > 1) break; }\n") ==
              "it may end early");
        CHECK(offered("    for (int i = 0; i < 48 && v < 9; ++i) v = step(v);\n") ==
              "it may end early");
        CHECK(
            offered("    int i = 0;\n    [MaxIters(48)] while (i < 48) { v = step(v); i++; }\n") ==
            "it is no `for` with a counter of its own");
        CHECK(offered("    [MaxIters(48)] for (int i = 1; i < 999999; i *= 2) v = step(v);\n") ==
              "its counter does not go to one end by a number");
        CHECK(
            offered("#if 1\n    [MaxIters(48)]\n#else\n    [ForceUnroll]\n#endif\n    for (int i = "
                    "0; i < 48; ++i) v = step(v);\n") == "a preprocessor line stands in its head");
        CHECK(offered("#if 1\n    [MaxIters(48)] for (int i = 0; i < 48; ++i) {\n#else\n    for "
                      "(int i = 0; i < "
                      "47; ++i) "
                      "{\n#endif\n    v = step(v);\n    }\n") == "an #if begins or ends in it");
        CHECK(offered("    for (int i = 0; i < 48 /* all */; ++i) v = step(v);\n") ==
              "a comment stands in its head");
        CHECK(offered("    [loop] [MaxIters(48)] for (int i = 0; i < 48; ++i) v = step(v);\n") ==
              "it is marked [loop]");
    }

    TEST_CASE("silent where there is nothing to gain") {
        CHECK(offered("    for (int i = 0; i < 15; ++i) v = step(v);\n") == "silent");
        CHECK(offered("    [ForceUnroll] for (int i = 0; i < 48; ++i) v = step(v);\n") == "silent");
        CHECK(findings(function("    for (int i = 0; i < 48; ++i) v = step(v);\n"), false, "float")
                  .empty());
        // Its own result, and what has another loop in it.
        CHECK(offered(
                  "    for (int i = 0; i < 48; ++i)\n        [ForceUnroll] for (int j = 0; j < 2; "
                  "j++) v = step(v);\n") == "silent");
    }

    TEST_CASE("one size for fix, several for a search") {
        const auto sizes = [](const std::string& body) {
            std::vector<std::string> texts;
            const auto found = findings(function(body), true);
            for (const Fix& fix : found.at(0).fixes)
                texts.push_back(fix.description);
            return texts;
        };
        CHECK(sizes("    for (int i = 0; i < 48; ++i) v = step(v);\n") ==
              std::vector<std::string>{
                  "split the loop over 'i' of 'f' into blocks of 8 unrolled trips",
                  "split the loop over 'i' of 'f' into blocks of 4 unrolled trips"});
        CHECK(sizes("    for (int i = 0; i < 48; ++i) v = sin(v);\n").size() == 3);
    }
}
