#include "attributes/parameter_context.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

const std::string shader = "RWStructuredBuffer<float> outb;\n"
                           "[Differentiable] float f(float x) { return x * x; }\n"
                           "[shader(\"compute\")] void train(uint3 t : SV_DispatchThreadID) { }\n";

/// As slangc writes it: the record, a field, two variables of it, and one of another function.
const std::string code =
    "struct s_paramCtx_s_bwdCallableCtx_my_step_0\n{\n    float value0_3;\n};\n"
    "    s_paramCtx_s_bwdCallableCtx_my_step_0 value0_7;\n"
    "    s_paramCtx_s_bwdCallableCtx_my_step_0 _S42;\n"
    "    (&_S42)->value0_3 = x_1;\n"
    "    s_paramCtx_s_bwdCallableCtx_my_step_0 _S44;\n"
    "    s_paramCtx_s_bwdCallableCtx_f_1 _S46;\n";

std::vector<Finding> run(std::uint32_t registers, std::uint64_t spills = 0, bool backward = true,
                         const std::string& emitted = code, bool stores = false) {
    ModuleText module(shader);
    module.compiled.code = emitted;
    if (stores)
        module.store("f", "x * x", 0, "float", 4);
    RuleInput input = module.input();
    input.frames = {{"train", 0, backward, registers, spills}};
    return parameter_context(input);
}

} // namespace

TEST_SUITE("attributes/parameter_context") {
    TEST_CASE("many registers and an empty report") {
        const std::vector<Finding> findings = run(254);
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].severity == Severity::note);
        CHECK(findings[0].place == Place{"/p/a.slang", 3, 26});
        CHECK(findings[0].message.starts_with("'train' has 254 registers and 0 B of spills"));
        CHECK(findings[0].message.ends_with(
            "most are of 'my_step', for 2 calls in the emitted code"));
        CHECK(run(129).size() == 1);
        CHECK(run(128).empty());
        CHECK(run(64, 8).size() == 1);
    }

    TEST_CASE("other reasons for many registers") {
        CHECK(run(254, 0, false).empty());
        CHECK(run(254, 0, true, code, true).empty());
        CHECK(run(254, 0, true, "").empty());
        CHECK(run(254, 0, true, "    s_paramCtx_s_bwdCallableCtx_f_1 _S46;\n").empty());
    }
}
