#include "attributes/exit_flag.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

const std::string head = "RWStructuredBuffer<float> outb;\n#define FAR 100.f\n#define NOW acc\n"
                         "[Differentiable]\n";
const std::string kernel =
    "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p = diffPair(outb[0], "
    "0.f); bwd_diff(f)(p, int(outb[2]), 1.f); outb[1] = p.d; }\n";

std::string function(const std::string& body) {
    return head + "float f(float x, int n)\n{\n    float acc = 0.f;\n" + body +
           "    return acc + x;\n}\n" + kernel;
}

/// A loop of a differentiated function with this in its body.
std::string loop(const std::string& body) {
    return "    // walks\n    [MaxIters(8)]\n    for (int i = 0; i < n; i++)\n    {\n" + body +
           "        acc += sin(acc);\n    } // walk\n";
}

/// The module after the only fix, or why there is none.
std::string offered(const std::string& text) {
    ModuleText module(text);
    module.store("f", "float acc", 6, "FixedArray<float, 10>", 40);
    const auto found = exit_flag(module.input());
    if (found.empty())
        return "silent";
    REQUIRE(found.size() == 1);
    CHECK((found[0].severity == Severity::note) == found[0].fixes.empty());
    if (found[0].fixes.empty())
        return found[0].why_not.at(0);
    CHECK(found[0].fixes.size() == 1);
    const std::string after = module.after(found[0].fixes[0]);
    ModuleText again(after);
    again.store("f", "float acc", 6, "FixedArray<float, 10>", 40);
    CHECK(exit_flag(again.input()).empty());
    return after;
}

/// Of a `return` in the loop.
std::string with(const std::string& body) {
    return offered(function(loop("        " + body + "\n")));
}

} // namespace

TEST_SUITE("attributes/exit_flag") {
    TEST_CASE("a return becomes a flag, a break and a return behind the loop") {
        CHECK(with("if (acc > 2) return acc * x; // out") ==
              function("    bool isDone = false;\n" +
                       loop("        if (acc > 2) { isDone = true; break; } // out\n") +
                       "    if (isDone)\n        return acc * x;\n"));
        CHECK(with("if (acc > 2)\n        {\n            acc += 1;\n            return FAR;\n"
                   "        }") ==
              function("    bool isDone = false;\n" +
                       loop("        if (acc > 2)\n        {\n            acc += 1;\n            "
                            "isDone = true;\n            break;\n        }\n") +
                       "    if (isDone)\n        return FAR;\n"));
    }

    TEST_CASE("returns of one value share a flag") {
        CHECK(with("if (acc > 2) return x; if (acc < n) return x; else if (n > 3) return 0;") ==
              function("    bool isDone = false;\n    bool isDone2 = false;\n" +
                       loop("        if (acc > 2) { isDone = true; break; } if (acc < n) { isDone "
                            "= true; break; } else if (n > 3) { isDone2 = true; break; }\n") +
                       "    if (isDone)\n        return x;\n    if (isDone2)\n        return "
                       "0;\n"));
    }

    TEST_CASE("no flag where the code behind the loop does the same") {
        CHECK(with("if (acc > 2) return acc + x;") ==
              function(loop("        if (acc > 2) break;\n")));
        const std::string between = offered(
            function(loop("if (acc > 2) return acc + x;\n") + "#if MORE\n    acc++;\n#endif\n"));
        CHECK(between.find("isDone = true;") != between.npos);
    }

    TEST_CASE("loops around it are left, too") {
        const std::string nest =
            "    for (int j = 0; j < 4; j++)\n    {\n        for (int k = 0; k "
            "< n; k++)\n        {\n";
        CHECK(
            offered(function(
                nest + "            if (acc > 2) return acc + x;\n            acc += x;\n        "
                       "}\n        acc++;\n    }\n")) ==
            function("    bool isDone = false;\n" + nest +
                     "            if (acc > 2) { isDone = true; break; }\n            acc += "
                     "x;\n        }\n        if (isDone)\n            break;\n        acc++;\n    "
                     "}\n    if (isDone)\n        return acc + x;\n"));
        CHECK(offered(function("    for (int j = 0; j < 4; j++)\n        for (int k = 0; k < n; "
                               "k++)\n            if (acc > 2) return x;\n")) ==
              "a loop is no statement of a block");
    }

    TEST_CASE("not where the value is the loop's own") {
        CHECK(with("float d = x * i; if (d > 2) return acc * d;") ==
              "it returns 'd', which the loop declares");
        CHECK(with("if (x > i) return acc * i;") == "it returns 'i', which the loop declares");
        CHECK(with("{ float acc = x; if (acc > 2) return acc; }") ==
              "it returns 'acc', which the loop declares");
        CHECK(with("if (acc > 2) return NOW;") == "a macro may say what 'NOW' is in the loop");
    }

    TEST_CASE("not where a break would do something else") {
        CHECK(with("switch (n) { case 2: return x; default: break; }") ==
              "a `return` stands in a `switch`, which is what a `break` would leave");
        CHECK(with("defer { acc += 1; } if (acc > 2) return x;") == "it holds a `defer`");
        CHECK(
            offered(function("#if A\n    for (int i = 0; i < n; i++) {\n#else\n    for (int i = 0; "
                             "i < 8; i++) {\n#endif\n        if (acc > 2) return x;\n        acc "
                             "+= sin(acc);\n    }\n")) != "silent");
    }

    TEST_CASE("a return within an #if is left by the flag in every build") {
        const std::string text = with("\n#ifndef KEEP\n        if (acc > 2) return x;\n#endif\n");
        CHECK(text.find("#ifndef KEEP\n        if (acc > 2) { isDone = true; break; }\n#endif") !=
              text.npos);
    }

    TEST_CASE("silent where nothing returns, where nothing is stored for trips, in other code") {
        CHECK(with("if (acc > 2) break;") == "silent");
        CHECK(with("var g = (float a) => { return a; };") == "silent");
        ModuleText module(function(loop("        if (acc > 2) return x;\n")));
        CHECK(exit_flag(module.input()).empty());
        module.store("f", "float acc", 6, "float", 4);
        CHECK(exit_flag(module.input()).empty());
        CHECK(offered("float g(float x) { for (int i = 0; i < 4; i++) if (x > i) return x; return "
                      "0; }\n" +
                      function("    acc = x;\n")) == "silent");
    }
}
