#include "generated_text.h"

using namespace slimgrad;

namespace {

ByClang heap(const std::string& text, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--passes", "heap"});
    return rewritten_by(text, more);
}

nlohmann::json needs(const ByClang& made, const std::string& kernel) {
    for (const nlohmann::json& each : made.report.at("kernels"))
        if (each.at("name") == kernel)
            return each.value("heap", nlohmann::json());
    FAIL("no kernel " << kernel);
    return {};
}

/// Another kernel for march's functions; `body` behind `float x = value[threadIdx.x], out = 0`.
std::string kernel(const std::string& name, const std::string& body) {
    return "\nextern \"C\" __global__ void " + name +
           "(float * value)\n{\n    float x = value[threadIdx.x], out = 0.0f;\n" + body +
           "    value[threadIdx.x] = out;\n}\n";
}
std::string call(const std::string& result, const std::string& argument) {
    return "    Tuple_march " + result + " = s_apply_march(" + argument + ");\n";
}
std::string backward(const std::string& name, const std::string& context) {
    return "    s_bwdCallableCtx_march b" + name + ";\n    (&b" + name +
           ")->value1_2 = " + context + ";\n    float r" + name + ";\n    s_bwdProp_march(&b" +
           name + ", &r" + name + ");\n    out = out * 0.5f + r" + name + ";\n";
}

const std::string no_context = "note: no context is put into the heap: ";
const std::string kernel_head = "extern \"C\" __global__ void kernel_NAME(float * _S8)\n{\n";

void check_same_on_cpu(const std::string& before, const std::string& after,
                       const std::string& name = "kernel_march") {
    const std::string expected = run_on_cpu(before, {name});
    CHECK(run_on_cpu(after, {name}) == expected);
}

void check_refused(const std::string& text, const std::string& why) {
    const ByClang made = heap(text);
    CHECK(notes_of(made, "heap") == std::vector<std::string>{no_context + why});
    CHECK(made.text == text);
    CHECK_FALSE(made.report.at("changed").get<bool>());
    for (const nlohmann::json& each : made.report.at("kernels"))
        CHECK_FALSE(each.contains("heap"));
}

} // namespace

TEST_SUITE("clang/heap") {
    TEST_CASE("arrays lie in a slice that the kernel gives") {
        const std::string text = array_prelude + march("march", 34);
        const ByClang made = heap(text);
        CHECK(made.report.at("passes") == nlohmann::json{"heap"});
        CHECK(made.report.at("notes").empty());
        for (const std::string part :
             {"    SlimgradCheckpointArray<float, 34u>  value0_0;\n",
              "s_apply_march(float _S0, SlimgradCheckpointSlice slimgrad_slice)\n",
              "    s_minCtx_march _S2; (&_S2)->value0_0 = SlimgradCheckpointArray<float, "
              "34u>{slimgrad_slice + (0ull)};\n",
              "        (&_S2)->value0_0.store(_pc_0, _S3);\n",
              "+ (&_S5->value1_2)->value0_0.load(_dc_0);\n",
              "slimgrad_scratch = slimgrad_checkpoint_slice(4ull * "
              "slimgrad_checkpoint_slots(34));\n",
              "s_apply_march(_S8[threadIdx.x], slimgrad_scratch + (0ull));\n"}) {
            CAPTURE(part);
            CHECK(count_of(made.text, part) == 1);
        }
        check_same_on_cpu(text, made.text);
        for (const std::string layout : {"thread", "grid"})
            check_same_on_cpu(text, heap(text, {"--heap-layout", layout}).text);
    }

    TEST_CASE("the host reads what each kernel needs") {
        const std::string text =
            array_prelude + march("march", 33) +
            kernel("two", call("t", "x") + call("u", "x + 1.0f") + backward("0", "t.value1_1") +
                              backward("1", "u.value1_1")) +
            kernel("none", "    out = x;\n");
        const ByClang made = heap(text);
        CHECK(contains(made.text,
                       "extern \"C\" { __constant__ SlimgradCheckpointKernel<1> "
                       "slimgrad_checkpoint_of_kernel_march = { slimgrad_checkpoint_version, "
                       "SLIMGRAD_CHECKPOINT_LAYOUT, 1u, 0u, { SLIMGRAD_CHECKPOINT_TERM(4ull, 33u, "
                       "0u, 0u, 0u) } }; }\n"));
        CHECK(contains(made.text, "slimgrad_checkpoint_of_two = { slimgrad_checkpoint_version, "
                                  "SLIMGRAD_CHECKPOINT_LAYOUT, 1u, 1u, { "
                                  "SLIMGRAD_CHECKPOINT_TERM(8ull, 33u, 0u, 0u, 0u) } }; }\n"));
        CHECK_FALSE(contains(made.text, "slimgrad_checkpoint_of_none"));
        CHECK(made.text.ends_with(
            "extern \"C\" { __constant__ unsigned int slimgrad_checkpoint_kernels = 2u; }\n"));
        CHECK(needs(made, "kernel_march").at("stride") == 136); // whole words of 8 bytes
        CHECK(needs(made, "kernel_march").at("terms") ==
              nlohmann::json::parse(R"([{"bytes": 4, "slots": [33]}])"));
        CHECK(needs(made, "two").at("stride") == 264);
        CHECK(needs(made, "none").is_null());
        check_same_on_cpu(text, made.text, "two");
    }

    TEST_CASE("contexts that are in use at the same time have parts of their own, others share") {
        const std::string text =
            array_prelude + march("march", 34) +
            kernel("both", call("t", "x") + call("u", "x + 1.0f") + backward("0", "t.value1_1") +
                               backward("1", "u.value1_1")) +
            kernel("in_turn", call("t", "x") + backward("0", "t.value1_1") + call("u", "x + 1.0f") +
                                  backward("1", "u.value1_1"));
        const ByClang made = heap(text);
        CHECK(needs(made, "both").at("stride") == 2 * 136);
        CHECK(needs(made, "in_turn").at("stride") == 136);
        const std::string both = function_in(made.text, "extern \"C\" __global__ void both(");
        CHECK(contains(both, "s_apply_march(x, slimgrad_scratch + (0ull));"));
        CHECK(contains(
            both,
            "s_apply_march(x + 1.0f, slimgrad_scratch + (4ull * slimgrad_checkpoint_slots(34)));"));
        CHECK(count_of(function_in(made.text, "extern \"C\" __global__ void in_turn("),
                       "slimgrad_scratch + (0ull)") == 2);
        check_same_on_cpu(text, made.text, "both");
        check_same_on_cpu(text, made.text, "in_turn");
    }

    TEST_CASE("functions between hand their callees what lies behind their own part") {
        const auto function = [](const std::string& name, const std::string& body) {
            return "\n__device__ float " + name + "(float x)\n{\n    float out = 0.0f;\n" + body +
                   "    return out;\n}\n";
        };
        const std::string text =
            array_prelude + march("march", 34) + march("other", 51) +
            function("inner", call("t", "x") + backward("0", "t.value1_1")) +
            function("of_other", "    Tuple_other t = s_apply_other(x);\n    "
                                 "s_bwdCallableCtx_other b;\n    (&b)->value1_2 = t.value1_1;\n"
                                 "    s_bwdProp_other(&b, &out);\n") +
            function("outer", call("t", "x") + "    out = inner(x + 1.0f) + of_other(x) * 0.5f;\n" +
                                  backward("0", "t.value1_1")) +
            kernel("top", "    out = outer(x);\n");
        const ByClang made = heap(text);
        CHECK(
            contains(made.text,
                     "__device__ float inner(float x, SlimgradCheckpointSlice slimgrad_scratch)"));
        CHECK(
            contains(made.text,
                     "inner(x + 1.0f, slimgrad_scratch + (4ull * slimgrad_checkpoint_slots(34)))"));
        CHECK(contains(made.text,
                       "of_other(x, slimgrad_scratch + (4ull * slimgrad_checkpoint_slots(34)))"));
        // 4 * 34 of its own; for either callee 4 * 34 and 4 * 51, for the slots differ.
        CHECK(needs(made, "top").at("stride") == 480);
        check_same_on_cpu(text, made.text, "top");
    }

    TEST_CASE("arrays of the threshold's bytes and more") {
        const std::string text = array_prelude + march("march", 16);
        CHECK(heap(text).changed_by("heap"));
        CHECK(heap(text, {"--heap-threshold", "64"}).changed_by("heap"));
        const ByClang stays = heap(text, {"--heap-threshold", "65"});
        CHECK(stays.text == text);
        CHECK(stays.report.at("notes").empty());
        CHECK_FALSE(heap(array_prelude + march("march", 15)).changed_by("heap"));
        CHECK(
            heap(array_prelude + march("march", 2), {"--heap-threshold", "0"}).changed_by("heap"));
    }

    TEST_CASE("single-copy takes what the heap leaves") {
        const std::string text = array_prelude + march("large", 200) + march("small", 34);
        const ByClang made =
            rewritten_by(text, {"--passes", "single-copy,heap", "--heap-threshold", "400"});
        CHECK(made.report.at("passes") == nlohmann::json{"heap", "single-copy"});
        CHECK(contains(made.text, "SlimgradCheckpointArray<float, 200u>"));
        CHECK(contains(made.text, "struct slimgrad_arrays_of_s_minCtx_small "));
        CHECK_FALSE(contains(made.text, "slimgrad_arrays_of_s_minCtx_large"));
        CHECK(run_on_cpu(made.text, {"kernel_large", "kernel_small"}) ==
              run_on_cpu(text, {"kernel_large", "kernel_small"}));
    }

    TEST_CASE("arrays that no loop's counter writes stay") {
        const std::string text =
            array_prelude +
            march("march", 34, {{"value0_0[_pc_0] = _S3;", "value0_0[int(3)] = _S3;"}});
        CHECK(heap(text).text == text);
    }

    TEST_CASE("the layout is a macro of the text") {
        const std::string text = array_prelude + march("march", 34);
        const std::string define = "#define SLIMGRAD_CHECKPOINT_LAYOUT ";
        CHECK(contains(heap(text).text, define + "1\n"));
        CHECK(contains(heap(text, {"--heap-layout", "thread"}).text, define + "0\n"));
        CHECK(contains(heap(text, {"--heap-layout", "warp"}).text, define + "1\n"));
        CHECK(contains(heap(text, {"--heap-layout", "grid"}).text, define + "2\n"));
    }

    TEST_CASE("a second time changes nothing") {
        const ByClang made = heap(array_prelude + march("march", 34));
        for (const std::string passes : {"heap", "single-copy,repair-extents,heap"}) {
            const ByClang again = rewritten_by(made.text, {"--passes", passes});
            CHECK(again.text == made.text);
            CHECK(again.report.at("changed") == false);
        }
    }

    TEST_CASE("the shader's lines stay where they were") {
        const std::string text = array_prelude + "\n#line 3 \"march.slang\"" + march("march", 34);
        const ByClang made = heap(text);
        REQUIRE(made.changed_by("heap"));
        const auto places = [](const ByClang& of) {
            std::map<std::string, std::pair<std::string, int>> found;
            for (const nlohmann::json& context : of.report.at("contexts"))
                found[context.at("name")] = {context.at("file"), context.at("line")};
            return found;
        };
        const auto given = places(made),
                   written = places(rewritten_by(made.text, {"--passes", "none"}));
        CHECK(given.at("s_minCtx_march") == std::pair<std::string, int>{"march.slang", 3});
        CHECK(written == given);
    }

    TEST_CASE("elements are whole words of their own") {
        const std::string text =
            array_prelude +
            with_all(march("march", 34,
                           {
                               {"{\n    FixedArray<float, SLOTS>  value0_0;",
                                "{\n    FixedArray<bool, SLOTS>  value0_0;"},
                               {"    FixedArray<float, SLOTS>  _S1 = { ZEROS };",
                                "    FixedArray<bool, SLOTS>  _S1 = { BOOLS };"},
                               {"[_pc_0] = _S3;", "[_pc_0] = _S3 > 3.0f;"},
                               {"->value0_0[_dc_0];", "->value0_0[_dc_0] ? 1.5f : 0.25f;"},
                           }),
                     "BOOLS", listed("false", 34));
        const ByClang made = heap(text, {"--heap-threshold", "0"});
        CHECK(needs(made, "kernel_march").at("stride") == 136);
        check_same_on_cpu(text, made.text);
    }

    TEST_CASE("a text whose kernels need nothing of it stays as it is") {
        const std::string text = array_prelude + march("march", 34);
        const std::string no_kernel =
            text.substr(0, text.find("extern \"C\" __global__ void kernel_march"));
        CHECK(heap(no_kernel).text == no_kernel);
        CHECK(heap(no_kernel + kernel("other", "    out = x;\n")).text ==
              no_kernel + kernel("other", "    out = x;\n"));
    }

    TEST_CASE("OptiX programs have no grid") {
        for (const std::string kind : {"raygen", "intersection", "anyhit", "closesthit", "miss",
                                       "exception", "direct_callable", "continuation_callable"}) {
            CAPTURE(kind);
            check_refused(with_all(array_prelude + march("march", 34), "kernel_march",
                                   "__" + kind + "__march"),
                          "an OptiX program has no place in a grid");
        }
        CHECK(
            heap(with_all(array_prelude + march("march", 34), "kernel_march", "__raytrace__march"))
                .changed_by("heap"));
    }

    TEST_CASE("exported device functions that would need a slice") {
        const std::string exported =
            "extern \"C\" __device__ float exported(float x)\n{\n    float out = 0.0f;\n";
        check_refused(array_prelude + march("march", 34) + exported + call("t", "x") +
                          backward("0", "t.value1_1") + "    return out;\n}\n",
                      "other code calls a device function that needs it");
        const std::string harmless =
            array_prelude + march("march", 34) + exported + "    return x;\n}\n";
        CHECK(heap(harmless).changed_by("heap"));
    }

    TEST_CASE("a note about the whole text has the function's place") {
        const ByClang made = heap(
            array_prelude +
            with(march("march", 34),
                 {{"extern \"C\" __global__ void kernel_march",
                   "\n#line 12 \"march.slang\"\nextern \"C\" __global__ void __raygen__march"}}));
        REQUIRE(made.report.at("notes").size() == 1);
        CHECK(made.report.at("notes")[0].at("file") == "march.slang");
        CHECK(made.report.at("notes")[0].at("line") == 12);
    }
}
