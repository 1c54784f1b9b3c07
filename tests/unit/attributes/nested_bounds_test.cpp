#include "attributes/nested_bounds.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

constexpr const char* text = R"(RWStructuredBuffer<float> outb;
[Differentiable]
float f(float x)
{
    float acc = x;
    [MaxIters(12)]
    for (int i = 0; i < 12; ++i)
    {
        float t = acc * 0.5f;
        [MaxIters(3)]
        for (int j = 0; j < 3; ++j)
            t = sin(t) + 0.3f * acc;
        acc = acc + 0.1f * t * t;
    }
    return acc;
}
[shader("compute")] void main(uint3 t : SV_DispatchThreadID) { var p = diffPair(outb[0], 0.f); bwd_diff(f)(p, 1.f); outb[1] = p.d; }
)";

std::string replaced(std::string from, const std::string& what, const std::string& with) {
    const std::size_t at = from.find(what);
    REQUIRE(at != std::string::npos);
    return from.replace(at, what.size(), with);
}

bool has_fix(const ModuleText& module, const Finding& finding, const std::string& after) {
    for (const Fix& fix : finding.fixes) {
        if (module.after(fix) == after)
            return true;
    }
    return false;
}

} // namespace

TEST_SUITE("attributes/nested_bounds") {
    TEST_CASE("a value stored at both levels of unequal bounds is an error with the right forms as "
              "fixes") {
        ModuleText module(text);
        module.store("f", "t = acc", 0, "FixedArray<FixedArray<float, 5>, 14>", 280);
        const auto findings = nested_bounds(module.input());
        REQUIRE(findings.size() == 1);
        const Finding& finding = findings[0];
        CHECK(finding.severity == Severity::error);
        CHECK(finding.rule == "nested-bounds");
        CHECK(finding.place ==
              module.model.place(0, std::uint32_t(std::string(text).find("for (int j"))));
        CHECK(finding.message.find("(12 outside at line 7, 3 inside)") != std::string::npos);
        CHECK(finding.bytes == 280);
        REQUIRE(finding.fixes.size() == 4);
        CHECK(finding.fixes[3].description ==
              "move the inner loop over 'j' into a function of its own");
        CHECK(module.after(finding.fixes[3]).find("        fInnerLoop(acc, t);\n") !=
              std::string::npos);
        CHECK(has_fix(module, finding, replaced(text, "[MaxIters(3)]", "[ForceUnroll]")));
        CHECK(has_fix(module, finding, replaced(text, "[MaxIters(12)]", "[ForceUnroll]")));
        CHECK(has_fix(module, finding, replaced(text, "[MaxIters(3)]", "[MaxIters(12)]")));
    }

    TEST_CASE("equal bounds, one level, an array of an array that no loop made: silent") {
        ModuleText equal(replaced(text, "MaxIters(3)", "MaxIters(12)"));
        equal.store("f", "t = acc", 0, "FixedArray<FixedArray<float, 14>, 14>", 784);
        CHECK(nested_bounds(equal.input()).empty());
        ModuleText one(text);
        one.store("f", "acc = x", 0, "FixedArray<float, 14>", 56);
        CHECK(nested_bounds(one.input()).empty());
        ModuleText array(text);
        array.store("f", "t = acc", 0, "FixedArray<FixedArray<float, 4>, 9>", 144);
        CHECK(nested_bounds(array.input()).empty());
    }

    TEST_CASE("what only the padding keeps right is a note") {
        ModuleText module(
            replaced(replaced(text, "MaxIters(3)", "MaxIters(11)"), "j < 3", "j < 11"));
        module.store("f", "t = acc", 0, "FixedArray<FixedArray<float, 13>, 14>", 728);
        const auto findings = nested_bounds(module.input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::note);
        CHECK(findings[0].fixes.empty());
    }

    TEST_CASE("a larger bound inside is never hidden by the padding") {
        ModuleText module(
            replaced(replaced(text, "MaxIters(3)", "MaxIters(13)"), "j < 3", "j < 13"));
        module.store("f", "t = acc", 0, "FixedArray<FixedArray<float, 15>, 14>", 840);
        const auto findings = nested_bounds(module.input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::error);
    }

    TEST_CASE("a loop whose trip count is an input is not unrolled") {
        ModuleText module(
            replaced(replaced(text, "j < 3", "j < int(outb[3])"), "i < 12", "i < int(outb[2])"));
        module.store("f", "t = acc", 0, "FixedArray<FixedArray<float, 5>, 14>", 280);
        const auto findings = nested_bounds(module.input());
        REQUIRE(findings.size() == 1);
        REQUIRE(findings[0].fixes.size() == 2);
        CHECK(findings[0].fixes[1].description.starts_with("move the inner loop"));
        CHECK(findings[0].fixes[0].description.find("MaxIters(12)") != std::string::npos);
        CHECK(findings[0].why_not.size() == 2);
    }

    TEST_CASE("generic bounds: one finding for all instances, the worst speaks") {
        const std::string generic =
            replaced(replaced(replaced(replaced(replaced(text, "f(float x)",
                                                         "f<let NI : int, let NO : int>(float x)"),
                                                "MaxIters(12)", "MaxIters(NO)"),
                                       "i < 12", "i < NO"),
                              "MaxIters(3)", "MaxIters(NI)"),
                     "j < 3", "j < NI");
        ModuleText module(generic);
        module.store("f", "t = acc", 0, "FixedArray<FixedArray<float, 18>, 18>", 1296);
        module.store("f", "t = acc", 0, "FixedArray<FixedArray<float, 18>, 3>", 216);
        const auto findings = nested_bounds(module.input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::error);
        CHECK(has_fix(
            module, findings[0],
            replaced(replaced(generic, "[MaxIters(NO)]", "[MaxIters((NO) > (NI) ? (NO) : (NI))]"),
                     "[MaxIters(NI)]", "[MaxIters((NO) > (NI) ? (NO) : (NI))]")));
    }

    TEST_CASE("loops of a macro or of another project are not edited") {
        ModuleText module(
            "#define INNER for (int j = 0; j < 3; ++j)\n#define N(x) x\n" +
            replaced(text, "for (int j = 0; j < 3; ++j)", "N(for (int j = 0; j < 3; ++j))"));
        module.store("f", "t = acc", 0, "FixedArray<FixedArray<float, 5>, 14>", 280);
        for (const Finding& finding : nested_bounds(module.input()))
            CHECK(finding.fixes.empty());
        ModuleText foreign(ModuleText::Files{{"/q/a.slang", text}});
        foreign.store("f", "t = acc", 0, "FixedArray<FixedArray<float, 5>, 14>", 280);
        const auto findings = nested_bounds(foreign.input());
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::error);
        CHECK(findings[0].fixes.empty());
        CHECK_FALSE(findings[0].why_not.empty());
    }
}
