#include "attributes/while_counter.h"

#include "attributes/inductive_counter.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

std::string function(const std::string& body) {
    return "RWStructuredBuffer<float> outb;\n#define NEXT(i) i++\n[Differentiable]\nfloat f(float "
           "x, "
           "int n, int s, uint u)\n{\n    float v = x;\n" +
           body +
           "    return v;\n}\n[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var "
           "p = diffPair(outb[0], 0.f); bwd_diff(f)(p, int(outb[2]), 1, 1u, 1.f); outb[1] = p.d; "
           "}\n";
}

/// The module after the only fix, or why there is none. The counter is declared as `declared`.
std::string offered(const std::string& text, const std::string& declared = "int i",
                    const std::string& type = "FixedArray<int32_t, 18>",
                    std::optional<std::uint32_t> offset = {}) {
    ModuleText module(text);
    module.store("f", declared, offset.value_or(std::uint32_t(declared.find(' ') + 1)), type, 72);
    const auto found = inductive_counter(module.input());
    if (found.empty())
        return "silent";
    REQUIRE(found.size() == 1);
    CHECK((found[0].severity == Severity::note) == found[0].fixes.empty());
    return found[0].fixes.empty() ? found[0].why_not.at(0) : module.after(found[0].fixes[0]);
}

std::string of_while(const std::string& body, const std::string& condition = "i < n") {
    return offered(function("    int i = 0;\n    [MaxIters(16)]\n    while (" + condition + ") { " +
                            body + " }\n"));
}

} // namespace

TEST_SUITE("attributes/while_counter") {
    TEST_CASE("the step of a while goes into the head of a for") {
        CHECK(
            offered(
                function("    int i = 0;\n    // waits\n    [MaxIters(16)]\n    while (i < n && "
                         "v < 1)\n    {\n        v = sin(v); // half\n        i++;\n    }\n    "
                         "v += i;\n")) ==
            function("    int i = 0;\n    // waits\n    [MaxIters(16)]\n    for (; i < n && v < 1; "
                     "i++)\n    {\n        v = sin(v); // half\n    }\n    v += i;\n"));
        const std::string on_line = of_while("v = sin(v); i += 2;");
        CHECK(on_line.find("for (; i < n; i += 2) { v = sin(v); }") != on_line.npos);
    }

    TEST_CASE("a while that is no for") {
        CHECK(of_while("if (v > 1) { i++; continue; } v = sin(v); i++;") != "");
        CHECK(of_while("if (v > 1) continue; v = sin(v); i++;").find("for (;") ==
              std::string::npos);
        CHECK(of_while("i++; v = sin(v);") == "its step is not the last that its body does");
        CHECK(of_while("v = sin(v); NEXT(i);").find("for (;") == std::string::npos);
        CHECK(of_while("int d = 2; v = sin(v); i += d;").find("for (;") == std::string::npos);
        CHECK(
            offered(function("    int i = n;\n    [MaxIters(16)] while (i < 20) { v = sin(v); i++; "
                             "}\n"))
                .find("for (int trip = 0; first + trip < 20; trip++) { int i = first + trip; v") !=
            std::string::npos);
        CHECK(of_while("v = sin(v);\n#if A\n    v = 1;\n#endif\n    i++;") ==
              "a preprocessor line stands in it");
        CHECK(of_while("v = sin(v); i++;", "/* go */ i < n") == "a comment stands in its head");
    }

    TEST_CASE("a do loop whose first trip a for has, too") {
        const auto of = [](const std::string& start, const std::string& condition,
                           const std::string& body = "v = sin(v); i++;") {
            return offered(function("    int i = " + start + ";\n    [MaxIters(8)]\n    do { " +
                                    body + " } while (" + condition + ");\n"),
                           "do { ", "int32_t", 0);
        };
        CHECK(of("0", "i < 3")
                  .find("[MaxIters(8)]\n    for (; i < 3; i++) { v = sin(v); }\n    "
                        "return") != std::string::npos);
        CHECK(of("4", "i < 3") == "a `for` may not run its first trip");
        CHECK(of("0", "i < 3 && v < 1") != "");
        CHECK(of("0", "i < n") == "silent");
        CHECK(of("0", "i < 3", "i++; v = sin(v);") ==
              "its step is not the last that its body does");
    }

    TEST_CASE("silent where no counter is stored in every trip") {
        const std::string text =
            function("    int i = 0;\n    [MaxIters(16)] while (i < n) { v = sin(v); i++; }\n");
        CHECK(offered(text, "int i", "int32_t") == "silent");
        CHECK(offered(text, "float v", "FixedArray<float, 18>") == "silent");
    }
}
