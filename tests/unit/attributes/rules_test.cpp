#include "attributes/rule.h"

#include "module_text.h"

#include <algorithm>
#include <filesystem>

using namespace slimgrad;

namespace {

std::string module_with(const std::string& above, const std::string& beside) {
    return "RWStructuredBuffer<float> outb;\n[Differentiable] float f(float x)\n{\n" + above +
           "    [MaxIters(4)] " + beside +
           "\n    for (int i = 0; i < 12; ++i) x += 1;\n    return x;\n}\n"
           "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p = "
           "diffPair(outb[0], 0.f); bwd_diff(f)(p, 1.f); }\n";
}

std::size_t count(const std::string& above, const std::string& beside = "") {
    return run_rules(ModuleText(module_with(above, beside)).input()).size();
}

} // namespace

TEST_SUITE("attributes/rules") {
    TEST_CASE("each rule has a name, a summary and a page with the agreed headings") {
        std::size_t pages = 0;
        for (const auto& entry :
             std::filesystem::directory_iterator(SLIMGRAD_SOURCE_DIR "/attributes"))
            pages += entry.path().extension() == ".md";
        CHECK(all_rules().size() == pages);
        for (const Rule& rule : all_rules()) {
            CAPTURE(std::string(rule.name));
            CHECK_FALSE(rule.summary.empty());
            CHECK(rule.page.find(rule.name) != std::string_view::npos);
            for (std::string_view heading :
                 {"What it does", "Why", "Example", "Fix safety", "verified"})
                CHECK_MESSAGE(rule.page.find(heading) != std::string_view::npos,
                              std::string(heading));
        }
    }

    TEST_CASE("a comment on the line or on the one above switches a rule off") {
        CHECK(count("") == 1);
        CHECK(count("    // slimgrad: off(loop-bound) the caller never passes more\n") == 0);
        CHECK(count("", "// slimgrad: off(loop-bound) reason") == 0);
        CHECK(count("    // slimgrad: off(all) reason\n") == 0);
        CHECK(count("    // slimgrad: off(prefer-recompute) reason\n") == 1);
        CHECK(count("    // slimgrad: off(loop-bound) reason\n\n") == 1);
        CHECK(count("    float s = f(\"slimgrad: off(loop-bound)\");\n") == 1);
    }

    TEST_CASE("findings are sorted by place") {
        const std::string text =
            "RWStructuredBuffer<float> outb;\n[Differentiable] float f(float x)\n{\n"
            "    [MaxIters(4)]\n    for (int i = 0; i < 12; ++i) x += 1;\n"
            "    [MaxIters(5)]\n    for (int i = 0; i < 12; ++i) x += 1;\n    return x;\n}\n"
            "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p = "
            "diffPair(outb[0], 0.f); bwd_diff(f)(p, 1.f); }\n";
        ModuleText module(text);
        module.emitted_code_error = "nvcc: no";
        const auto findings = run_rules(module.input());
        REQUIRE(findings.size() == 3);
        CHECK(findings[0].rule == "emitted-code");
        CHECK(findings[1].place.line == 4);
        CHECK(findings[2].place.line == 6);
    }

    TEST_CASE("emitted code that does not compile names the known cause") {
        ModuleText quiet(module_with("", ""));
        for (const Finding& finding : run_rules(quiet.input()))
            CHECK(finding.rule != "emitted-code");

        ModuleText module("[Differentiable] float f(float x, no_diff int r)\n{\n    "
                          "[MaxIters(9)]\n    for (int16_t "
                          "o = -r; o <= r; ++o) x += 1;\n    return x;\n}\n");
        module.emitted_code_error = "nvcc: identifier \"_S32\" is undefined";
        const auto findings = run_rules(module.input());
        REQUIRE_FALSE(findings.empty());
        const auto found = std::find_if(findings.begin(), findings.end(),
                                        [](const Finding& f) { return f.rule == "emitted-code"; });
        REQUIRE(found != findings.end());
        CHECK(found->severity == Severity::error);
        CHECK(found->fixes.empty());
        CHECK(found->message.find("_S32") != std::string::npos);
        CHECK(found->message.find("the loop that starts at a run-time value ('-r' at 4:5)") !=
              std::string::npos);
        CHECK(found->place.line == 4);
    }

    TEST_CASE(
        "emitted code that does not compile: no constant is named, and no loop as the cause") {
        ModuleText module("static const int N = 4, M = 3;\n"
                          "[Differentiable] float f<let P : int>(float x, no_diff int r)\n{\n"
                          "    for (int i = N * M; i > 0; --i) x += 1;\n"
                          "    for (int i = P; i > 0; --i) x += 1;\n"
                          "    for (int i = 0x10; i > 0; --i) x += 1;\n"
                          "    for (int16_t i = r; i > 0; --i) x += 1;\n"
                          "    for (int16_t i = r + N; i > 0; --i) x += 1;\n"
                          "    return x;\n}\n");
        module.emitted_code_error = "nvcc: identifier \"_S32\" is undefined";
        std::string message;
        for (const Finding& finding : run_rules(module.input())) {
            if (finding.rule == "emitted-code")
                message = finding.message;
        }
        CHECK(message.ends_with(
            "; it may come of a loop that starts at a run-time value ('r' at 7:5, "
            "'r + N' at 8:5): count from 0 and add it in the body"));
    }
}
