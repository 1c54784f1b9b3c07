#include "attributes/pins.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

const std::string before = "RWStructuredBuffer<float> outb;\n";
const std::string after =
    "[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var p = diffPair(outb[0], "
    "0.f); bwd_diff(f)(p, 1.f); outb[1] = p.d; }\n";

/// Whether an insertion at, and a replacement of, the first byte of `mark` would change what is
/// kept.
bool keeps(const std::string& text, const std::string& mark) {
    const ModuleText module(text);
    const Pins pins(module.model);
    const auto at = std::uint32_t(text.find(mark));
    REQUIRE(text.find(mark) != std::string::npos);
    const bool inserted = pins.keep({"/p/a.slang", {at, at}, "x"});
    CHECK(pins.keep({"/p/a.slang", {at, at + 1}, "x"}) == inserted);
    return inserted;
}

std::vector<Finding> findings(const std::string& text) {
    ModuleText module(text);
    module.store("f", "v = x", 0, "FixedArray<float, 10>", 40);
    return run_rules(module.input());
}

} // namespace

TEST_SUITE("attributes/pins") {
    TEST_CASE("a comment behind the line or above it keeps the line") {
        const std::string text =
            "float f(float x)\n{\n    float a = x; // slimgrad: keep, measured\n"
            "    float b = a;\n    // slimgrad: keep\n    // it is tuned\n"
            "    float c = b;\n\n    float d = c;\n    // slimgrad: keeper\n"
            "    float e = d;\n    // slimgrad: keep\n\n    return e;\n}\n";
        CHECK(keeps(text, "float a"));
        CHECK_FALSE(keeps(text, "float b"));
        CHECK(keeps(text, "float c"));
        CHECK_FALSE(keeps(text, "float d"));
        CHECK_FALSE(keeps(text, "float e"));
        CHECK_FALSE(keeps(text, "return e"));
    }

    TEST_CASE("the whole head of a function or a loop, and not what stands in its braces") {
        const std::string text =
            "// slimgrad: keep\n[A]\n[B]\nfloat f(float x)\n{\n    float a = x;\n    [C]\n    for "
            "(int i = 0; i < 8; ++i) // slimgrad: keep\n    {\n        a += 1;\n    }\n    return "
            "a;\n}\nfloat g(float x) { return x; }\n";
        for (const char* mark : {"[A]", "[B]", "f(float", "[C]", "    [C]", "int i"})
            CHECK_MESSAGE(keeps(text, mark), std::string(mark));
        for (const char* mark : {"float a", "a += 1", "return a", "float g"})
            CHECK_FALSE_MESSAGE(keeps(text, mark), std::string(mark));
    }

    TEST_CASE("a call over several lines") {
        const std::string text =
            "float g(float x, float y) { return x; }\nfloat f(float x)\n{\n    "
            "return g(x, // slimgrad: keep\n             x * 2);\n}\n";
        CHECK(keeps(text, "x * 2"));
    }

    TEST_CASE("fixes that would change what is kept are taken out, and the reason is told") {
        const auto text = [](const std::string& pin) {
            return before + "[Differentiable]\nfloat f(float x)\n{\n    float v = x;\n" + pin +
                   "    for (int i = 0; i < 8; ++i) v = sin(v);\n    return v;\n}\n" + after;
        };
        REQUIRE(findings(text("")).size() == 1);
        CHECK(findings(text(""))[0].fixes.size() == 1);
        const auto kept = findings(text("    // slimgrad: keep\n"));
        REQUIRE(kept.size() == 1);
        CHECK(kept[0].fixes.empty());
        CHECK(kept[0].severity == Severity::note);
        REQUIRE(kept[0].why_not.size() == 1);
        CHECK(kept[0].why_not[0] == "pinned by `// slimgrad: keep`");
    }
}
