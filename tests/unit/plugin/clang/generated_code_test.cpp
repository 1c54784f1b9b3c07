// What is taken for slangc's, and what not.

#include "generated_text.h"

using namespace slimgrad;

namespace {

ByClang default_passes(const std::string& text) {
    return rewritten_by(text, {});
}

} // namespace

TEST_SUITE("clang/generated_code") {
    TEST_CASE("contexts are known by their names") {
        const std::string text = array_prelude + march("march", 34) +
                                 "struct s_paramCtx_march\n{\n    float value0_8;\n};\nstruct "
                                 "minCtx_march\n{\n    float value0_8;\n};\n";
        const ByClang made = rewritten_by(text, {"--passes", "none"});
        std::map<std::string, std::string> kinds;
        for (const nlohmann::json& context : made.report.at("contexts"))
            kinds[context.at("name")] = context.at("kind");
        CHECK(kinds == std::map<std::string, std::string>{{"s_minCtx_march", "stored"},
                                                          {"s_bwdCallableCtx_march", "both"},
                                                          {"s_paramCtx_march", "parameters"}});
    }

    TEST_CASE("functions in a block with C's linkage are seen") {
        std::string text = array_prelude + with(march("march", 34),
                                                {{"extern \"C\" __global__ void kernel_march",
                                                  "extern \"C\" {\n__global__ void kernel_march"}});
        text += "}\n";
        const ByClang made = default_passes(text);
        CHECK(made.changed_by("single-copy"));
        CHECK(contains(made.text, "s_apply_march(_S8[threadIdx.x], &slimgrad_arrays_0)"));
        REQUIRE(made.report.at("kernels").size() == 1);
        CHECK(made.report.at("kernels")[0].at("name") == "kernel_march");
    }

    TEST_CASE("members by pointer, by reference of an object and by the object itself") {
        const std::string text =
            array_prelude +
            march("march", 34,
                  {{"(&_S2)->value0_0[_pc_0] = _S3;", "(_S2.value0_0)[(_pc_0)] = (_S3);"},
                   {"(&_S5->value1_2)->value0_0[_dc_0]", "(*_S5).value1_2.value0_0[_dc_0]"}});
        const ByClang made = default_passes(text);
        CHECK(made.changed_by("single-copy"));
        CHECK(run_on_cpu(made.text, {"kernel_march"}) == run_on_cpu(text, {"kernel_march"}));
    }

    TEST_CASE("arrays are those of the prelude's FixedArray") {
        const std::string text =
            with_all(array_prelude + march("march", 34), "FixedArray", "OtherArray");
        const ByClang made = default_passes(text);
        CHECK(made.text == text);
        CHECK(made.report.at("notes").empty());
    }

    TEST_CASE("foreign CUDA comes back as it is") {
        for (const std::string& text : {
                 std::string("template<class T> __device__ T twice(T x) { return x + x; }\n"
                             "namespace n { struct A { float x; }; }\n"
                             "__global__ void k(float* p) { __shared__ float s[32]; s[threadIdx.x] "
                             "= twice(*p); __syncthreads(); *p = s[0]; }"),
                 std::string("\xef\xbb\xbf// a comment \xc3\xa9\r\n__global__ void k() {}\r\n"),
                 std::string(""),
                 std::string("\n\n"),
             }) {
            CAPTURE(text);
            const ByClang made = default_passes(text);
            CHECK(made.text == text);
            CHECK(made.report.at("changed") == false);
            CHECK(made.report.at("contexts").empty());
        }
    }
}
