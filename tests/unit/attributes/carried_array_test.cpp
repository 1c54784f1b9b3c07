#include "attributes/carried_array.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

const std::string head = "RWStructuredBuffer<float> outb;\n[Differentiable] float g(float v) { "
                         "return v * tanh(v); }\n#define TWICE(e) ((e) * 2)\n";

/// A differentiated function with an array of 16 and this behind it.
std::string function(const std::string& body, const std::string& array = "float a[16]; // all") {
    return head + "[Differentiable]\nfloat f(float x, int n)\n{\n    " + array + "\n" + body +
           "}\n[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p = "
           "diffPair(outb[0], 0.f); bwd_diff(f)(p, int(outb[2]), 1.f); outb[1] = p.d; }\n";
}

std::vector<Finding> found(const ModuleText& module) {
    auto findings = carried_array(module.input());
    for (const Finding& finding : findings)
        CHECK((finding.severity == Severity::note) == finding.fixes.empty());
    return findings;
}

ModuleText stored(const std::string& text,
                  const std::string& type = "FixedArray<FixedArray<float, 16>, 18>") {
    ModuleText module(text);
    module.store("f", "a[", 0, type, 1152);
    return module;
}

/// The module with what is set in an array of its own, or why it is not.
std::string apart(const std::string& text) {
    const ModuleText module = stored(text);
    const auto findings = found(module);
    if (findings.empty())
        return "silent";
    REQUIRE(findings.size() == 1);
    for (const Fix& fix : findings[0].fixes)
        if (fix.description.find("array of its own") != std::string::npos)
            return module.after(fix);
    return findings[0].why_not.back();
}

/// The same of a loop with this body.
std::string loop(const std::string& body, const std::string& behind = "    return a[n];\n") {
    return apart(
        function("    [MaxIters(16)] for (int i = 0; i < 16; i++) { " + body + " }\n" + behind));
}

/// Whether the loop is to be unrolled, or why not.
std::string unrolled(const std::string& text) {
    const ModuleText module = stored(text);
    const auto findings = found(module);
    REQUIRE(findings.size() == 1);
    for (const Fix& fix : findings[0].fixes)
        if (fix.description.starts_with("unroll"))
            return module.after(fix).find("[ForceUnroll] for (") != std::string::npos ? "yes" : "?";
    return findings[0].why_not.empty() ? "no" : findings[0].why_not[0];
}

} // namespace

TEST_SUITE("attributes/carried_array") {
    TEST_CASE("what is set goes into an array of its own") {
        CHECK(apart(function("    [MaxIters(16)]\n    for (int i = 0; i < 16; i++)\n        a[i] = "
                             "g(a[i]) * x;\n    float s = a[0] + a[n];\n    a[1] = s;\n    return "
                             "a[1];\n")) ==
              function("    [MaxIters(16)]\n    for (int i = 0; i < 16; i++)\n        aNext[i] = "
                       "g(a[i]) * x;\n    float s = aNext[0] + aNext[n];\n    aNext[1] = s;\n    "
                       "return aNext[1];\n",
                       "float a[16]; // all\n    float aNext[16];"));
    }

    TEST_CASE("what the loop may leave as it is is copied") {
        const auto copied = [](const std::string& text) {
            return text.find("    float aNext[16] = a;\n    [MaxIters(16)] for (") != text.npos &&
                   text.find("aNext[i] = g(a[i]);") != text.npos &&
                   text.find("return aNext[n];") != text.npos;
        };
        CHECK(copied(loop("if (a[i] > x) aNext[i] = g(a[i]);")) == false);
        CHECK(copied(loop("if (a[i] > x) a[i] = g(a[i]);")));
        CHECK(copied(loop("if (i == n) continue; a[i] = g(a[i]);")));
        CHECK(copied(loop("a[i] = g(a[i]); if (i == n) break;")));
        CHECK(copied(apart(function("    [MaxIters(16)] for (int i = 1; i < 16; i++) a[i] = "
                                    "g(a[i]);\n    return a[n];\n"))));
        CHECK(copied(apart(function("    [MaxIters(16)] for (int i = 0; i < n; i++) a[i] = "
                                    "g(a[i]);\n    return a[n];\n"))));
    }

    TEST_CASE("elements are used as their trip has them") {
        CHECK(loop("a[i + 1] = g(a[i]);") == "it uses other elements of 'a' than 'a[i]'");
        CHECK(loop("a[i] = g(a[0]);") == "it uses other elements of 'a' than 'a[i]'");
        CHECK(loop("a[i] = g(a[i]); x += a[i];") ==
              "no array of its own: the loop reads the element of 'a' again after it set it");
        CHECK(loop("a[i] *= g(a[i]);") ==
              "no array of its own: the loop does not set an element of 'a' by `=`");
        CHECK(loop("a[i] = g(a[i]); a[i] = x;") ==
              "no array of its own: the loop sets an element of 'a' in several places");
        CHECK(loop("for (int j = 0; j < 2; j++) a[i] = g(a[i]);") ==
              "it uses other elements of 'a' than 'a[j]'");
        CHECK(loop("int i = 0; a[i] = g(a[i]);") == "'i' is declared in it again");
        CHECK(loop("a[i] = g(a[i]); i++;") == "it is no `for` with a counter of its own");
    }

    TEST_CASE("all uses behind the loop are seen") {
        CHECK(loop("a[i] = g(a[i]);", "    return TWICE(a[n]);\n").find("array of its own") !=
              std::string::npos);
        CHECK(loop("a[i] = g(a[i]);", "#if OTHER\n    return a[0];\n#endif\n    return a[n];\n") ==
              "no array of its own: a macro or another branch of #if may use 'a'");
        CHECK(loop("a[i] = g(a[i]);", "    return x;\n") ==
              "no array of its own: 'a' is not used behind the loop");
        const std::string shadowed =
            loop("a[i] = g(a[i]);", "    { float a = x; x += a; }\n    return a[n];\n");
        CHECK(shadowed.find("{ float a = x; x += a; }\n    return aNext[n];") != shadowed.npos);
        CHECK(
            apart(function("    if (n > 0) {\n    [MaxIters(16)] for (int i = 0; i < 16; i++) a[i] "
                           "= g(a[i]);\n    }\n    return a[n];\n")) ==
            "no array of its own: the loop or the array stands in a block of its own");
        CHECK(apart(function(
                  "    [MaxIters(4)] for (int k = 0; k < 4; k++) {\n    [MaxIters(16)] for "
                  "(int i = 0; i < 16; i++) a[i] = g(a[i]);\n    }\n    return a[n];\n")) ==
              "no array of its own: the loop around it carries the array, too");
    }

    TEST_CASE("a loop that hands on nothing else is unrolled") {
        const auto of = [](const std::string& trips, const std::string& body) {
            return unrolled(function("    [MaxIters(90)] for (int i = 0; i < " + trips +
                                     "; i++) { " + body + " }\n    return a[n];\n"));
        };
        CHECK(of("16", "a[i] = g(a[i]);") == "yes");
        CHECK(of("16", "float v = a[i]; a[i] = g(v);") == "yes");
        CHECK(of("80", "a[i] = g(a[i]);") == "not unrolled: 80 trips are too many to unroll");
        CHECK(of("n", "a[i] = g(a[i]);") == "not unrolled: its number of trips is no constant");
        CHECK(of("16", "a[i] = g(a[i]); x = g(x);") ==
              "not unrolled: it hands on more than the array: unrolled it may take slangc long");
        // loop-replay unrolls these.
        CHECK(of("8", "a[i] = g(a[i]);") == "no");
        CHECK(of("16", "a[i] = sin(a[i]);") == "no");
    }

    TEST_CASE("silent where no array is stored for every trip") {
        const std::string text = function(
            "    [MaxIters(16)] for (int i = 0; i < 16; i++) a[i] = g(a[i]);\n    return a[n];\n");
        CHECK(found(stored(text, "FixedArray<float, 16>")).empty());
        CHECK(apart(function("    [MaxIters(16)] for (int i = 0; i < 16; i++) x += g(a[i]);\n    "
                             "return x + a[n];\n")) == "silent");
    }
}
