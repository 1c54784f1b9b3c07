#include "attributes/prefer_checkpoint.h"

#include "attributes/attribute_removal.h"
#include "module_text.h"

using namespace slimgrad;

namespace {

std::string kernel(const std::string& loop, const std::string& mark = "") {
    return "RWStructuredBuffer<float> outb;\n" + mark +
           "[Differentiable] float move(float s) { return s + 0.1f * sin(s); }\n"
           "[Differentiable] float f(float x)\n{\n    float s = x;\n    " +
           loop +
           "\n    for (int i = 0; i < 8; ++i)\n        s = move(s);\n    return s;\n}\n"
           "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p = "
           "diffPair(outb[0], 0.f); bwd_diff(f)(p, 1.f); outb[1] = p.d; }\n";
}

std::vector<Finding> run(const std::string& text, bool searching, bool reconsider = false) {
    const ModuleText module(text);
    RuleInput input = module.input();
    input.searching = searching;
    input.reconsider = reconsider;
    return prefer_checkpoint(input);
}

std::string without(const std::string& text, const std::string& name) {
    const ModuleText module(text);
    for (const Function& function : module.model.functions)
        if (const Attribute* attribute = function.find_attribute(name)) {
            const auto edit = attribute_removal(module.model, *attribute);
            if (!edit)
                return "kept";
            Fix fix;
            fix.edits = {*edit};
            return module.after(fix);
        }
    return "not there";
}

} // namespace

TEST_SUITE("attributes/prefer_checkpoint") {
    TEST_CASE("a search is offered it for the step of an unrolled loop") {
        const std::string text = kernel("[ForceUnroll]");
        const std::vector<Finding> findings = run(text, true);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].fixes.front().description == "mark 'move' [PreferCheckpoint]");
        CHECK(ModuleText(text)
                  .after(findings[0].fixes.front())
                  .find("[PreferCheckpoint]\n[Differentiable] float move") != std::string::npos);
        CHECK(run(text, false).empty());
        CHECK(run(kernel("[MaxIters(8)]"), true).empty());
        CHECK(run(kernel("[ForceUnroll]", "[PreferRecompute] "), true).empty());
    }

    TEST_CASE("what the user marked is only reconsidered on request") {
        const std::string text = kernel("[MaxIters(8)]", "[PreferCheckpoint]\n");
        CHECK(run(text, true).empty());
        const std::vector<Finding> findings = run(text, true, true);
        REQUIRE(findings.size() == 1);
        CHECK(ModuleText(text).after(findings[0].fixes.front()) == kernel("[MaxIters(8)]"));
    }
}

TEST_SUITE("attributes/attribute_removal") {
    TEST_CASE("the brackets go, with their line where they are alone on it") {
        CHECK(without("[A]\n[B]\nfloat f() { return 1; }\n", "A") ==
              "[B]\nfloat f() { return 1; }\n");
        CHECK(without("    [B]\r\n  [A] \r\nfloat f() { return 1; }\r\n", "A") ==
              "    [B]\r\nfloat f() { return 1; }\r\n");
        CHECK(without("[A] [B] float f() { return 1; }\n", "A") == "[B] float f() { return 1; }\n");
        CHECK(without("[B] [A(1)]\nfloat f() { return 1; }\n", "A") ==
              "[B] \nfloat f() { return 1; }\n");
    }

    TEST_CASE("where something else would be lost, nothing goes") {
        CHECK(without("[A, B]\nfloat f() { return 1; }\n", "A") == "kept");
        CHECK(without("[A /* why */]\nfloat f() { return 1; }\n", "A") == "kept");
    }
}
