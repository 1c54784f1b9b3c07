#include "rewritten.h"

#include <map>

using namespace slimgrad;

// The sizes themselves are compared with Slang's report by tests/context_sizes.sh.
TEST_SUITE("clang/context_layout") {
    TEST_CASE("records of every kind with their fields and the shader's lines") {
        const ByClang made =
            rewritten_by(loaded_shader("tests/inputs/contexts/element_types.slang").cuda.code,
                         {"--passes", "none"});
        std::map<std::string, nlohmann::json> contexts;
        for (const nlohmann::json& context : made.report.at("contexts"))
            contexts[context.at("name")] = context;

        const nlohmann::json stored = contexts["s_minCtx_s_bwdCallableCtx_accumulate_0"];
        REQUIRE(stored.is_object());
        CHECK(stored.at("kind") == "stored");
        CHECK(stored.at("size") == 152);
        CHECK(stored.at("alignment") == 8);
        CHECK(stored.at("reported_size") == 168); // seven bools at four bytes
        const nlohmann::json& odd = stored.at("fields").at(2);
        CHECK(odd.at("type") == "FixedArray<bool, 7>");
        CHECK(odd.at("offset") == 112);
        CHECK(odd.at("size") == 7);
        CHECK(odd.at("line") == 48); // bool odd = false;
        CHECK(odd.at("file").get<std::string>().ends_with("element_types.slang"));

        const nlohmann::json half = contexts["s_minCtx_s_bwdCallableCtx_narrow_0"];
        REQUIRE(half.is_object());
        CHECK(half.at("size") == 92); // half3 has eight bytes in CUDA, six in the report
        CHECK(half.at("reported_size") == 72);

        const nlohmann::json arguments = contexts["s_paramCtx_s_bwdCallableCtx_advance_0"];
        REQUIRE(arguments.is_object());
        CHECK(arguments.at("kind") == "parameters");
        CHECK(arguments.at("size") == 32);
        CHECK(contexts["s_bwdCallableCtx_follow_0"].at("kind") == "both");
    }

    TEST_CASE("code that stores nothing has no contexts") {
        const ByClang made =
            rewritten_by("__global__ void f(float* p) { *p = 1.0f; }\n", {"--passes", "none"});
        CHECK(made.report.at("contexts").empty());
        CHECK(made.text == "__global__ void f(float* p) { *p = 1.0f; }\n");
    }
}
