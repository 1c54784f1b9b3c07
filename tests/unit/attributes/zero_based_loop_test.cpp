#include "attributes/zero_based_loop.h"

#include "attributes/emitted_code.h"
#include "attributes/trip_count.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

/// A [Differentiable] function with this body.
std::string function(const std::string& body) {
    return "#define UP o\n#define LIMIT 4\nint at(int i) { return i; }\n[Differentiable]\nfloat "
           "f(float x, no_diff int r, no_diff int lo, no_diff uint u, float w)\n{\n    float s = "
           "0.f;\n" +
           body + "    return s;\n}\n";
}

constexpr const char* unknown = "nvcc: identifier \"_S21\" is undefined";

/// The module after all fixes, or why the first is missing.
std::string offered(const std::string& body, const std::string& error = unknown) {
    ModuleText module(function(body));
    module.emitted_code_error = error;
    const auto found = zero_based_loop(module.input());
    if (found.empty())
        return "silent";
    Fix all;
    for (const Finding& finding : found) {
        CHECK((finding.severity == Severity::error) == !finding.fixes.empty());
        if (finding.fixes.empty())
            return finding.why_not.at(0);
        REQUIRE(finding.fixes.size() == 1);
        module.after(finding.fixes[0]);
        all.edits.insert(all.edits.end(), finding.fixes[0].edits.begin(),
                         finding.fixes[0].edits.end());
    }
    const std::string after = module.after(all);
    ModuleText again(after);
    again.emitted_code_error = error;
    CHECK(zero_based_loop(again.input()).empty());
    return after;
}

} // namespace

TEST_SUITE("attributes/zero_based_loop") {
    TEST_CASE("the counter is the start and the trips") {
        CHECK(
            offered(
                "    [MaxIters(9)] // window\n    for (int o = -r; o <= r; ++o) // all\n        "
                "s += x * o; // sum\n") ==
            function("    [MaxIters(9)] // window\n    for (int trip = 0; -r + trip <= r; trip++) "
                     "// all\n    {\n        int o = -r + trip;\n        s += x * o; // sum\n    "
                     "}\n"));
        CHECK(
            offered("    for (uint o = u; 9u > o; o += 2)\n    {\n        if (o == 3) continue;\n "
                    "       s += x * o;\n    }\n") ==
            function(
                "    for (uint trip = 0; 9u > u + trip * 2; trip++)\n    {\n        uint o = u "
                "+ trip * 2;\n        if (o == 3) continue;\n        s += x * o;\n    }\n"));
        CHECK(
            offered("    for (int o = r; o >= lo && s < o * 2; o--) s += x * o;\n") ==
            function("    for (int trip = 0; r - trip >= lo && s < (r - trip) * 2; trip++) { int o "
                     "= r - trip; s += x * o; }\n"));
    }

    TEST_CASE("a start that may change is kept") {
        CHECK(offered("    // window\n    for (int o = at(r); o <= r; o++) { s += x * o; }\n") ==
              function("    int first = at(r);\n    // window\n    for (int trip = 0; first + trip "
                       "<= r; trip++) { int o = first + trip; s += x * o; }\n"));
        CHECK(offered("    int b = r;\n    for (int o = b; o <= r; o++) { b = 2; s += x * o; }\n")
                  .find("int first = b;") != std::string::npos);
        CHECK(
            offered("    for (int o = u; o <= r; o++) { s += x * o; }\n").find("int first = u;") !=
            std::string::npos);
        CHECK(offered("    if (r > 2)\n        for (int o = at(r); o <= r; o++) s += x * o;\n") ==
              "it is no statement of a block, where its start could be kept");
    }

    TEST_CASE("loops in loops, and loops behind each other") {
        CHECK(offered(
                  "    for (int p = -r; p <= r; p++)\n        for (int o = lo; o <= r; o++)\n     "
                  "       s += x * o * p;\n") ==
              function(
                  "    for (int trip = 0; -r + trip <= r; trip++)\n    {\n        int p = -r + "
                  "trip;\n        for (int trip2 = 0; lo + trip2 <= r; trip2++)\n        {\n     "
                  "       int o = lo + trip2;\n            s += x * o * p;\n        }\n    "
                  "}\n"));
        const std::string two =
            offered("    for (int o = at(r); o < 4; o++) s += x;\n    for (int o = "
                    "at(lo); o < 4; o++) s += w;\n");
        CHECK(two.find("int first = at(r);") != two.npos);
        CHECK(two.find("int first2 = at(lo);") != two.npos);
    }

    TEST_CASE("not where the counter is more than a counter") {
        const auto loop = [](const std::string& head, const std::string& body = "s += x * o;") {
            return offered("    for (" + head + ") { " + body + " }\n");
        };
        CHECK(loop("int o = lo; o < r; o++", "s += x; if (s > 2) o++;") == "the body changes 'o'");
        CHECK(loop("int o = lo; o < r; o++", "{ int o = 3; s += o; }") ==
              "'o' is declared again in it");
        const std::string form = "it is no `for` that declares one counter and steps it";
        CHECK(loop("int o = lo, k = 0; o < r; o++") == form);
        CHECK(loop("int o = lo; o < r; o++, s += x") == form);
        CHECK(loop("int o = lo /* low */; o < r; o++") == form);
        CHECK(loop("int o = lo; o < r; o += lo") == "it starts and steps by variables");
        CHECK(loop("int16_t o = lo; o < r; o++") == "'o' has less than 32 bits");
        CHECK(loop("var o = lo; o < r; o++") == "the type of 'o' is not known");
        CHECK(loop("int o = lo; o < r && UP < 3; o++") == "its condition uses the macro 'UP'");
        CHECK(loop("int o = lo; o < LIMIT; o++").find("lo + trip < LIMIT") != std::string::npos);
    }

    TEST_CASE(
        "silent where the code compiles, for another error, and where slangc knows the trips") {
        const std::string loop = "    for (int o = lo; o < r; o++) s += x * o;\n";
        CHECK(offered(loop, "") == "silent");
        CHECK(offered(loop, "nvcc: no operator \"+\" matches") == "silent");
        CHECK(offered("    for (int o = 2; o < r; o++) s += x * o;\n") == "silent");
        CHECK(offered("    [ForceUnroll] for (int o = lo; o < r; o++) s += x * o;\n") == "silent");
        ModuleText module(
            "float f(float x, int lo) { float s = 0; for (int o = lo; o < 4; o++) s += "
            "x; return s; }\n");
        module.emitted_code_error = unknown;
        CHECK(zero_based_loop(module.input()).empty());
    }

    TEST_CASE("what is cured here is not reported as emitted code, too") {
        const auto errors = [](const std::string& loops) {
            ModuleText module(function(loops));
            module.emitted_code_error = unknown;
            return emitted_code(module.input()).size();
        };
        const std::string loop = "    for (int o = lo; o < r; o++) s += x * o;\n";
        CHECK(errors(loop) == 0);
        CHECK(errors(loop + "    for (int16_t p = lo; p < r; p++) s += x * p;\n") == 1);
        CHECK(errors("") == 1);
    }

    TEST_CASE("the trips of the loop from 0 are taken for computed ones") {
        const auto trips = [](const std::string& loop) {
            ModuleText module(function(loop));
            return trip_count(module.model, 0, module.promises);
        };
        const TripCount rewritten =
            trips("    for (int trip = 0; -r + trip <= r; trip++) s += x * trip;\n");
        CHECK(rewritten.is_input);
        CHECK(rewritten.computed);
        CHECK_FALSE(rewritten.upper);
        CHECK_FALSE(trips("    for (int o = 0; o < r; o++) s += x * o;\n").computed);
    }
}
