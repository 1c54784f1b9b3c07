#include "attributes/rectangle_guard.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

std::string function(const std::string& body) {
    return "RWStructuredBuffer<float> outb;\n[Differentiable] float g(float v) { return v * v; "
           "}\n[Differentiable]\nfloat f(float x, int n)\n{\n    float v = x;\n" +
           body +
           "    return v;\n}\n[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var "
           "p = diffPair(outb[0], 0.f); bwd_diff(f)(p, int(outb[2]), 1.f); outb[1] = p.d; }\n";
}

/// The head and body of the inner loop, in one over `l` from 0 to 3.
std::string nest(const std::string& inner, const std::string& mark = "MaxIters(4)") {
    return function("    [" + mark + "]\n    for (int l = 0; l < 4; l++)\n    {\n" + inner +
                    "    }\n");
}

std::vector<Finding> found(const ModuleText& module) {
    auto findings = rectangle_guard(module.input());
    for (const Finding& finding : findings)
        CHECK((finding.severity == Severity::note) == finding.fixes.empty());
    return findings;
}

/// The module after the fix of this number, or why there is none.
std::string offered(const std::string& text, std::size_t number = 0) {
    ModuleText module(text);
    module.store("f", "float v = x", 6, "FixedArray<FixedArray<float, 6>, 6>", 144);
    const auto findings = found(module);
    if (findings.empty())
        return "silent";
    REQUIRE(findings.size() == 1);
    if (findings[0].fixes.size() > number)
        return module.after(findings[0].fixes[number]);
    return findings[0].why_not.empty() ? "no more" : findings[0].why_not.back();
}

std::string body_of(const std::string& head, const std::string& body = "v = sin(v);") {
    return offered(nest("        [MaxIters(3)]\n        " + head + "\n            " + body + "\n"));
}

} // namespace

TEST_SUITE("attributes/rectangle_guard") {
    TEST_CASE("unrolled with a test in its body") {
        CHECK(
            body_of("for (int m = 0; m < l; m++)", "v = sin(v) * m; // half") ==
            nest("        [ForceUnroll]\n        for (int m = 0; m < 3; m++)\n            if (m < "
                 "l)\n                v = sin(v) * m; // half\n"));
        CHECK(
            body_of("for (int m = 1; m <= l; m += 2)") ==
            nest(
                "        [ForceUnroll]\n        for (int m = 1; m <= 3; m += 2)\n            if (m "
                "<= l)\n                v = sin(v);\n"));
        CHECK(
            offered(
                nest("        for (int m = 0; m < l; m++)\n        {\n            v = "
                     "sin(v);\n            if (v > 1)\n                continue;\n        }\n")) ==
            nest("        [ForceUnroll]\n        for (int m = 0; m < 3; m++)\n            if (m < "
                 "l)\n            {\n                v = sin(v);\n                if (v > 1)\n     "
                 "  "
                 "             continue;\n            }\n"));
        const std::string on_line = offered(
            nest("        for (int m = 0; m < l; m++) {\n            v = sin(v);\n        }\n"));
        CHECK(on_line.find("for (int m = 0; m < 3; m++) if (m < l) {\n            v") !=
              on_line.npos);
    }

    TEST_CASE("what follows may be the start") {
        const std::string text = body_of("for (int m = l; m < 4; m++)");
        CHECK(text.find("for (int m = 0; m < 4; m++)\n            if (m >= l)\n") != text.npos);
        const std::string both = body_of("for (int m = l; m < l + 2; m++)");
        CHECK(both.find("for (int m = 0; m < 5; m++)\n            if (m >= l && m < l + 2)\n") !=
              both.npos);
        CHECK(body_of("for (int m = l; m < 4; m += 2)") ==
              "where it starts and its step decide which values its counter has");
    }

    TEST_CASE("replayed as often as the loop around it") {
        CHECK(
            offered(
                nest("        [MaxIters(3)]\n        for (int m = 0; m < l; m++)\n            v "
                     "= sin(v);\n"),
                1) ==
            nest("        [MaxIters(4)]\n        for (int m = 0; m < 4; m++)\n            if (m < "
                 "l)\n                v = sin(v);\n"));
    }

    TEST_CASE("slangc does not unroll it") {
        const auto text = [](const std::string& end) {
            return nest("        [ForceUnroll]\n        for (int m = 0; m < " + end +
                            "; m++)\n            v = g(v);\n",
                        "ForceUnroll");
        };
        const auto repaired = [&](const std::string& end) -> std::string {
            ModuleText module(text(end));
            module.compiled.status = CompileStatus::rejected;
            const auto at = module.model.files[0].text().find("for (int m");
            Diagnostic diagnostic;
            diagnostic.code = "E40020";
            diagnostic.place = module.model.place(0, std::uint32_t(at));
            module.compiled.diagnostics.push_back(diagnostic);
            const auto findings = rectangle_guard(module.input());
            if (findings.empty())
                return "silent";
            CHECK(findings[0].severity == Severity::error);
            return findings[0].fixes.empty() ? findings[0].why_not.at(0)
                                             : module.after(findings[0].fixes[0]);
        };
        CHECK(repaired("l") ==
              nest("        [ForceUnroll]\n        for (int m = 0; m < 3; m++)\n      "
                   "      if (m < l)\n                v = g(v);\n",
                   "ForceUnroll"));
        CHECK(repaired("n") == "silent");
        CHECK(repaired("l + n").starts_with("what its counter may be is not known"));
    }

    TEST_CASE("what is not known stays") {
        CHECK(body_of("for (int m = l; m > 0; m--)") ==
              "its counter does not rise to one end by a number");
        CHECK(body_of("for (int m = 0; m < l && v < 1; m++)") ==
              "its counter does not rise to one end by a number");
        CHECK(body_of("for (int m = 0; m < /* half */ l; m++)") == "a comment stands in its head");
        CHECK(body_of("for (int m = 0; m < min(l, 2); m++)") ==
              "'min(l, 2)' may not stay the same while it runs");
        CHECK(body_of("for (int m = 0; m < l + n; m++)").starts_with("what its counter may be"));
        CHECK(body_of("for (int m = 0; m < l; m++)", "{ int l = 2; v = g(v); l = m; }") ==
              "'l' may not stay the same while it runs");
        CHECK(offered(nest("        int m = 0;\n        [MaxIters(3)]\n        for (; m < l; m++)\n"
                           "            v = sin(v);\n")) ==
              "it is no `for` with a counter of its own");
        CHECK(
            offered("#define EACH(m, l) for (int m = 0; m < l; m++)\n" +
                    nest("        [MaxIters(3)]\n        EACH(m, l)\n            v = sin(v);\n")) ==
            "silent");
    }

    TEST_CASE("too many trips are not unrolled") {
        const std::string text = function("    [MaxIters(80)] for (int l = 0; l < 80; l++)\n       "
                                          " [MaxIters(80)]\n        for (int "
                                          "m = 0; m < l; m++)\n            v = sin(v);\n");
        CHECK(offered(text).find("for (int m = 0; m < 80; m++)\n            if (m < l)") !=
              std::string::npos);
        CHECK(offered(text, 1) == "79 trips are too many to unroll");
    }

    TEST_CASE("silent where no trips follow a loop, or nothing is stored for two") {
        CHECK(body_of("for (int m = 0; m < 3; m++)") == "silent");
        CHECK(body_of("for (int m = 0; m < n; m++)") == "silent");
        ModuleText module(
            nest("        [MaxIters(3)]\n        for (int m = 0; m < l; m++)\n           "
                 " v = sin(v);\n"));
        module.store("f", "float v = x", 6, "FixedArray<float, 6>", 24);
        CHECK(found(module).empty());
    }
}
