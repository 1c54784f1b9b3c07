#include "generated_text.h"

using namespace slimgrad;

namespace {

ByClang single_copy(const std::string& text) {
    return rewritten_by(text, {"--passes", "single-copy"});
}

/// The context's size is 4 * slots + 4; the backward loop starts at a constant.
std::string counted(unsigned slots) {
    return array_prelude + march("march", slots,
                                 {{"    int _dc_0 = (&_S5->value1_2)->value1_0 - int(1);\n",
                                   "    int _dc_0 = int(" + std::to_string(slots - 1) + ");\n"}});
}

void check_same_on_cpu(const std::string& before, const std::string& after) {
    const std::string expected = run_on_cpu(before, {"kernel_march"});
    CHECK(run_on_cpu(after, {"kernel_march"}) == expected);
}

} // namespace

TEST_SUITE("clang/single_copy") {
    TEST_CASE("the caller owns the arrays, and contexts point to them") {
        const std::string text = array_prelude + march("march", 34);
        const ByClang made = single_copy(text);
        CHECK(made.report.at("changed") == true);
        CHECK(made.report.at("passes") == nlohmann::json{"single-copy"});
        CHECK(made.report.at("notes").empty());
        const std::string expected =
            array_prelude +
            with(march("march", 34),
                 {{"struct s_minCtx_march\n",
                   "struct slimgrad_arrays_of_s_minCtx_march { FixedArray<float, 34> value0_0; }; "
                   "struct s_minCtx_march\n"},
                  {"    FixedArray<float, 34>  value0_0;\n",
                   "    FixedArray<float, 34>  * value0_0;\n"},
                  {"s_apply_march(float _S0)",
                   "s_apply_march(float _S0, slimgrad_arrays_of_s_minCtx_march * slimgrad_arrays)"},
                  {"    FixedArray<float, 34>  _S1 = { " + listed("0.0f", 34) + " };\n", "    \n"},
                  {"    s_minCtx_march _S2;\n",
                   "    s_minCtx_march _S2; (&_S2)->value0_0 = &slimgrad_arrays->value0_0;\n"},
                  {"    (&_S2)->value0_0 = _S1;\n", "    \n"},
                  {"(&_S2)->value0_0[_pc_0] = _S3;", "(*(&_S2)->value0_0)[_pc_0] = _S3;"},
                  {"(&_S5->value1_2)->value0_0[_dc_0]", "(*(&_S5->value1_2)->value0_0)[_dc_0]"},
                  {"kernel_march(float * _S8)\n{\n",
                   "kernel_march(float * _S8)\n{ slimgrad_arrays_of_s_minCtx_march "
                   "slimgrad_arrays_0;\n"},
                  {"s_apply_march(_S8[threadIdx.x]);",
                   "s_apply_march(_S8[threadIdx.x], &slimgrad_arrays_0);"}});
        CHECK(made.text == expected);
        check_same_on_cpu(text, made.text);
    }

    TEST_CASE("a second time changes nothing") {
        const ByClang made = single_copy(array_prelude + march("march", 34));
        const ByClang again = single_copy(made.text);
        CHECK(again.text == made.text);
        CHECK(again.report.at("changed") == false);
        CHECK(again.report.at("notes").empty());
    }

    TEST_CASE("of contexts of more than 64 bytes") {
        CHECK_FALSE(single_copy(array_prelude + march("march", 15)).changed_by("single-copy"));
        CHECK(single_copy(array_prelude + march("march", 16)).changed_by("single-copy"));
    }

    TEST_CASE("of more than 320 where nvcc can unroll the loops") {
        CHECK_FALSE(single_copy(counted(79)).changed_by("single-copy"));
        CHECK(single_copy(counted(79)).report.at("notes").empty());
        const ByClang made = single_copy(counted(80));
        CHECK(made.changed_by("single-copy"));
        check_same_on_cpu(counted(80), made.text);
    }

    TEST_CASE("a context in another one counts as the outer one") {
        const std::string small = "\nstruct s_minCtx_outer\n{\n    s_minCtx_march value0_5;\n    "
                                  "double value1_5[6];\n};\n";
        CHECK_FALSE(single_copy(array_prelude + march("march", 6)).changed_by("single-copy"));
        CHECK(single_copy(array_prelude + march("march", 6) + small).changed_by("single-copy"));
    }

    TEST_CASE("arrays that no loop's counter writes stay") {
        const std::string text =
            array_prelude +
            march("march", 34, {{"value0_0[_pc_0] = _S3;", "value0_0[int(3)] = _S3;"}});
        const ByClang made = single_copy(text);
        CHECK(made.text == text);
        CHECK(made.report.at("notes").empty());
    }

    TEST_CASE("only stored contexts have arrays that are moved") {
        const std::string text =
            with_all(array_prelude + march("march", 34), "s_minCtx_march", "Record_march");
        CHECK(single_copy(text).text == text);
        const std::string parameters =
            with_all(array_prelude + march("march", 34), "s_minCtx_march", "s_paramCtx_march");
        CHECK(single_copy(parameters).text == parameters);
    }

    TEST_CASE(
        "each declaration of a function has the new parameter, also where it is the only one") {
        const std::string text =
            array_prelude + march("march", 34,
                                  {{"__device__ Tuple_NAME s_apply_NAME(float _S0)\n",
                                    "__device__ Tuple_NAME s_apply_NAME();\n\n"
                                    "__device__ Tuple_NAME s_apply_NAME()\n"},
                                   {"float _S3 = _S0;", "float _S3 = 0.75f;"},
                                   {"s_apply_NAME(_S8[threadIdx.x])", "s_apply_NAME()"}});
        const ByClang made = single_copy(text);
        CHECK(count_of(made.text,
                       "s_apply_march(slimgrad_arrays_of_s_minCtx_march * slimgrad_arrays)") == 2);
        CHECK(contains(made.text, "s_apply_march(&slimgrad_arrays_0);"));
        check_same_on_cpu(text, made.text);
    }

    TEST_CASE("several arrays, and members between them") {
        const std::string text =
            array_prelude +
            march("march", 34,
                  {{"    int value1_0;\n", "    int value1_0;\n    FixedArray<int, SLOTS>  "
                                           "value2_0;\n    float value3_0;\n"},
                   {"    (&_S2)->value1_0 = int(0);\n",
                    "    (&_S2)->value1_0 = int(0);\n    FixedArray<int, SLOTS>  _S12 = { INTS };\n"
                    "    (&_S2)->value2_0 = _S12;\n    (&_S2)->value3_0 = 3.5f;\n"},
                   {"        if(_S3 < 16.0f)",
                    "        (&_S2)->value2_0[_pc_0] = _pc_0 * int(3);\n        if(_S3 < 16.0f)"},
                   {"->value0_0[_dc_0];",
                    "->value0_0[_dc_0] * float((&_S5->value1_2)->value2_0[_dc_0]) + "
                    "(&_S5->value1_2)->value3_0;"}});
        const std::string filled = with_all(text, "INTS", listed("int(0)", 34));
        const ByClang made = single_copy(filled);
        CHECK(contains(made.text,
                       "{ FixedArray<float, 34> value0_0; FixedArray<int, 34> value2_0; };"));
        CHECK(contains(made.text, "    float value3_0;\n"));
        check_same_on_cpu(filled, made.text);
    }

    TEST_CASE("functions of OptiX keep one copy too") {
        const std::string text =
            with_all(array_prelude + march("march", 34), "kernel_march", "__raygen__march");
        CHECK(single_copy(text).changed_by("single-copy"));
    }

    TEST_CASE("kernels need less stack, and the report has the contexts as they were") {
        const ByClang made = single_copy(array_prelude + march("march", 98));
        const nlohmann::json& context = made.report.at("contexts").at(0);
        CHECK(context.at("name") == "s_minCtx_march");
        CHECK(context.at("size") == 396);
        const auto stack = [](const std::string& text) {
            return rewritten_by(text, {"--passes", "none"})
                .report.at("kernels")
                .at(0)
                .at("stack_bytes_of_contexts")
                .get<int>();
        };
        CHECK(stack(array_prelude + march("march", 98)) >= 3 * 396);
        CHECK(stack(made.text) >= 392);
        CHECK(stack(made.text) < 392 + 150);
    }
}
