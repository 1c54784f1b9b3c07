#include "plugin/slang/outermost_contexts.h"
#include "tests/unit/plugin/slang/compile_input.h"

#include <doctest/doctest.h>

namespace slimgrad::slang_plugin {
namespace {

GeneratedCode code_with(const std::string& functions) {
    return scan_generated_code(
        "struct s_minCtx_s_bwdCallableCtx_f_0 { FixedArray<float, 4>  v; };\n"
        "struct s_minCtx_s_bwdCallableCtx_f_1 { FixedArray<float, 9>  v; };\n"
        "struct s_minCtx_s_bwdCallableCtx_g_0 { float v; };\n" +
        functions);
}

std::vector<CheckpointContext> contexts() {
    return {{"f", {}, 36, {}, true}, {"f", {}, 16, {}, true}, {"g", {}, 4, {}, true}};
}

} // namespace

TEST_CASE("what only backward passes call is not outermost; instances are matched by size") {
    auto marked = contexts();
    mark_outermost(code_with("void s_bwdProp_f_0(float a) { }\n"
                             "void s_bwdProp_f_1(float a) { }\n"
                             "void s_bwdProp_g_0(float a) { s_bwdProp_f_1(a); s_bwdProp_f_0(a); }\n"
                             "void _S1(float a) { s_bwdProp_g_0(a); s_bwdProp_f_0(a); }\n"),
                   marked);
    CHECK_FALSE(marked[0].outermost); // f_1
    CHECK(marked[1].outermost);       // f_0
    CHECK(marked[2].outermost);
}

TEST_CASE("what the code does not show counts as outermost") {
    auto marked = contexts();
    mark_outermost(scan_generated_code(""), marked);
    for (const CheckpointContext& context : marked)
        CHECK(context.outermost);
}

TEST_CASE("contexts of several gradients in one module") {
    auto bytes = [](const char* entry, SlangTarget target) {
        CompileRequest request = request_for(input_path("two_gradients.slang"), {"-entry", entry});
        request.target = target;
        return compile(request).checkpoint_bytes();
    };
    for (SlangTarget target : {SlangTarget::cuda, SlangTarget::cpp}) {
        CHECK(bytes("outerOnly", target) == 240);
        CHECK(bytes("both", target) == 264);
        CHECK(bytes("member", target) == 24);
    }
}

} // namespace slimgrad::slang_plugin
