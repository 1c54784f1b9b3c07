#include "attributes/detach.h"

#include "attributes/decided_test.h"
#include "module_text.h"

using namespace slimgrad;

namespace {

const std::string head = "RWStructuredBuffer<float> outb;\n"
                         "[Differentiable] float move(float v, float x) { return v - 0.3f * (v * v "
                         "- x); }\n";
const std::string kernel = "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p "
                           "= diffPair(outb[0], 0.f); bwd_diff(f)(p, 1.f); outb[1] = p.d; }\n";

std::string module_of(const std::string& before, const std::string& loop,
                      const std::string& after = "return v;") {
    return head + "[Differentiable]\nfloat f(float x)\n{\n    float v = 1.f;\n    " + before +
           "\n    [MaxIters(32)]\n    " + loop + "\n    " + after + "\n}\n" + kernel;
}

std::string body(const std::string& text) {
    const auto begin = text.find("float v = 1.f;");
    return text.substr(begin, text.find("\n}\n", begin) - begin);
}

struct Outcome {
    std::string text;    ///< of f's body after the fix, "" without one
    std::string why_not; ///< the first reason
    std::size_t findings = 0;
};

/// Of a variable `p` that is stored.
Outcome outcome(const std::string& text, const std::string& mark = "float p") {
    ModuleText module(text);
    module.store("f", mark, 6, "FixedArray<float, 34>", 136);
    Outcome result;
    for (const Finding& finding : detach(module.input())) {
        if (finding.message.find("are stored of 'p'") == std::string::npos)
            continue;
        ++result.findings;
        if (!finding.fixes.empty())
            result.text = body(module.after(finding.fixes.front()));
        if (!finding.why_not.empty())
            result.why_not = finding.why_not.front();
    }
    return result;
}

const std::string loop_head = "for (int i = 0; i < 32; ++i)\n    {\n";
std::string loop(const std::string& statements) {
    return loop_head + statements + "    }";
}

std::string why(const std::string& before, const std::string& code,
                const std::string& after = "return v;") {
    const Outcome found = outcome(module_of(before, code, after));
    CHECK(found.text == "");
    return found.why_not;
}

const std::string first = "        if (abs(v - p) < 1e-6f) break;\n        p = v;\n"
                          "        v = move(v, x);\n";
const std::string last = "        v = move(v, x);\n        if (abs(v - p) < 1e-6f) break;\n"
                         "        p = v;\n";

} // namespace

TEST_SUITE("attributes/detach") {
    TEST_CASE("what it is set to is carried anyway") {
        CHECK(outcome(module_of("float p = 0.f;", loop(last))).text ==
              "float v = 1.f;\n    [MaxIters(32)]\n    " +
                  loop("        float p = i > 0 ? v : 0.f;\n        v = move(v, x);\n"
                       "        if (abs(v - p) < 1e-6f) break;\n") +
                  "\n    return v;");
        CHECK(outcome(module_of("float p = 0.f;",
                                "for (int i = 31; i >= 0; i--)\n    {\n" + last + "    }"))
                  .text.find("float p = i != 31 ? v : 0.f;") != std::string::npos);
    }

    TEST_CASE("a first test goes to the end of the trip before") {
        CHECK(outcome(module_of("float p = 0.f;", loop(first))).text ==
              "float v = 1.f;\n    [MaxIters(32)]\n    " +
                  loop("        float p = v;\n        v = move(v, x);\n"
                       "        if (abs(v - p) < 1e-6f) break;\n") +
                  "\n    return v;");
        // Where it begins is not known, the loop stands under the test of that.
        const std::string changed = outcome(module_of("float p = -1.f; v = x;", loop(first))).text;
        CHECK(changed.find("    if (!(abs(v - (-1.f)) < 1e-6f))\n        [MaxIters(32)]\n"
                           "        for (int i = 0; i < 32; ++i)\n        {\n"
                           "            float p = v;\n") != std::string::npos);
    }

    TEST_CASE("a test in the head") {
        const std::string rest = "\n    {\n        float n = move(v, x);\n        p = abs(n - v);\n"
                                 "        v = n;\n    }";
        const std::string end = "        float p = abs(n - v);\n        v = n;\n"
                                "        if (!(p > 1e-6f))\n            break;\n    }\n";
        for (const std::string condition : {"i < 32 && p > 1e-6f", "p > 1e-6f && i < 32"}) {
            const std::string changed =
                outcome(
                    module_of("float p = 1.f;", "for (int i = 0; " + condition + "; ++i)" + rest))
                    .text;
            CHECK(changed.find("for (int i = 0; i < 32; ++i)") != std::string::npos);
            CHECK(changed.find(end) != std::string::npos);
        }
        CHECK(why("float p = 1.f;", "for (int i = 0; p > 1e-6f; ++i)" + rest) != "");
        CHECK(why("float p = 1.f;", "for (int i = 0; i < 32 && p > 1e-6f * i; ++i)" + rest) ==
              "the test reads the loop's counter");
        CHECK(why("float p = 1.f; int i;", "for (i = 0; i < 32 && p > 1e-6f; ++i)" + rest,
                  "return v * i;") != "");
    }

    TEST_CASE("tests of vectors; not in a `while`") {
        const std::string steps =
            "        if (all(abs(v - p) < 1e-6f)) { break; }\n        p = v;\n"
            "        v = move(v, x);\n";
        CHECK(outcome(module_of("float p = 0.f;", loop(steps))).text != "");
        CHECK(why("float p = 0.f; int i = 0;",
                  "while (i < 32)\n    {\n" + steps + "        i++;\n    }") ==
              "the loop is no `for`");
    }

    TEST_CASE("values that are needed otherwise") {
        // Case 40: its derivative is used.
        CHECK(outcome(module_of("float p = 0.f;",
                                loop("        float n = v + sin(v - p);\n        p = v;\n"
                                     "        v = n;\n")))
                  .findings == 0);
        CHECK(outcome(module_of("float p = 0.f;", loop(last), "return v + p;")).findings == 0);
        CHECK(why("float p = 0.f;", loop(last), "return p > 0.f ? v : 1.f;") ==
              "it is used outside of the loop");
        CHECK(why("float p = 0.f;",
                  loop("        float n = move(v, x);\n        if (abs(n - p) < 1e-6f) break;\n"
                       "        p = v;\n        v = n;\n")) ==
              "'v', which it is set to, is changed after that");
        CHECK(why("float p = 0.f;",
                  loop("        float n = move(v, x);\n        if (abs(n - p) < 1e-6f) break;\n"
                       "        p = n;\n        v = n;\n"))
                  .find("does not carry 'n'") != std::string::npos);
    }

    TEST_CASE("what stands in the way") {
        const std::string p = "float p = 0.f;";
        CHECK(why("float p = x;", loop(last)) == "what it begins with is no constant");
        CHECK(why("float p = 0.f, q = 1.f;", loop(last)) != "");
        CHECK(why(p + " p = 1.f;", loop(last)) != "");
        CHECK(why(p, loop("        if (v > 3.f) continue;\n" + first)) ==
              "a `continue` stands in the loop");
        CHECK(why(p, loop("        v = move(v, x);\n        if (abs(v - p) < 1e-6f) break;\n"
                          "        if (v > 0.f) p = v;\n")) ==
              "it is not set by one statement of the loop's body, in each trip");
        CHECK(why(p, loop("        if (abs(v - p) < 1e-6f * i) break;\n        p = v;\n"
                          "        v = move(v, x);\n")) == "the test reads the loop's counter");
        CHECK(why(p, loop("        if (abs(v - p) < outb[7]++) break;\n        p = v;\n"
                          "        v = move(v, x);\n")) != "");
        CHECK(why(p, loop("        if (move(v, p) < 1e-6f) break;\n        p = v;\n"
                          "        v = move(v, x);\n")) ==
              "the test calls a function of the module");
        CHECK(why(p, loop("        if (abs(v - p) < 1e-6f) { outb[3] = 1.f; break; }\n"
                          "        p = v;\n        v = move(v, x);\n")) != "");
        CHECK(why(p, loop("        if (abs(v - p) < 1e-6f) break; else v += 1.f;\n        p = v;\n"
                          "        v = move(v, x);\n")) != "");
        CHECK(why(p, "if (x > 0.f) for (int i = 0; i < 32; ++i)\n    {\n" + last + "    }") != "");
        CHECK(why(p, loop("#ifdef MORE\n#endif\n" + last)) ==
              "a preprocessor line stands between its declaration and the loop's end");
        CHECK(why(p, "for (int k = 0; k < 2; ++k) {\n" + loop(last) + "}") != "");
    }

    TEST_CASE("tests of values with a derivative") {
        const auto detached = [](const std::string& code) {
            ModuleText module(module_of("", loop(code)));
            module.store("f", "float v = 1.f", 6, "FixedArray<float, 34>", 136);
            const std::vector<Finding> found = detach(module.input());
            REQUIRE(found.size() <= 1);
            return found.empty() ? "" : body(module.after(found[0].fixes.front()));
        };
        CHECK(detached("        v = move(v, x); if (abs(v) < x) break;\n")
                  .find("if (abs(detach(v)) < detach(x)) break;") != std::string::npos);
        CHECK(detached("        v = move(v, x); if (abs(detach(v)) < 1.f) break;\n") == "");
        CHECK(detached("        v = move(v, x); if (i > 3) break;\n") == "");
    }

    TEST_CASE("tests of numbers that are decided") {
        const auto holds = [](std::string_view test) {
            return decided_test(test, [](std::string_view name) {
                return name == "v" ? std::optional<std::string>("1.f") : std::nullopt;
            });
        };
        CHECK(holds("abs(v - 0.f) < 1e-6f") == false);
        CHECK(holds("2 * v + .5h >= min(3.0, v)") == true);
        CHECK(holds("!(v < 0.5f) && v > -1e2f || v < 0.f") == true);
        CHECK(holds("abs(detach(v) - 1e9f) < 1.f") == false);
        for (const std::string_view test :
             {"v < 1.f", "v <= 1.0001f", "u < 1.f", "f(v) < 2.f", "v", "v == 1.f", "v < 0x10", "",
              "v < 2.f ? 1 : 0", "v - 0.9999999f < 1.f", "v / 0.f > 1.f", "(v < 2.f", "v < 2.f)"})
            CHECK_MESSAGE(!holds(test), test);
    }
}
