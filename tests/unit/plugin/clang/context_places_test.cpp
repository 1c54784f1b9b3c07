// Where the arrays of a call's context lie (context_arrays.cpp): in the caller's own context that
// it goes into, or in a place of the caller's that several calls share.

#include "generated_text.h"

using namespace slimgrad;

namespace {

constexpr unsigned slots = 98; // of 392 bytes: more than nvcc unrolls

/// A context in a context: an array of them by a loop, and one more.
std::string chain(const std::vector<Change>& changes) {
    return array_prelude + march("march", slots) +
           with(R"(
struct s_minCtx_chain
{
    FixedArray<s_minCtx_march, 6>  value0_3;
    s_minCtx_march value1_3;
    int value2_3;
};

struct Tuple_chain
{
    float value0_4;
    s_minCtx_chain value1_4;
};

__device__ Tuple_chain s_apply_chain(float _S20)
{
    s_minCtx_chain _S21;
    (&_S21)->value2_3 = int(0);
    float _S22 = _S20;
    int _pc_1 = int(0);
    for(;;)
    {
        if(_pc_1 < int(4))
        {
        }
        else
        {
            break;
        }
        Tuple_march _S23 = s_apply_march(_S22);
        (&_S21)->value0_3[_pc_1] = _S23.value1_1;
        _S22 = _S23.value0_1 - 15.0f;
        _pc_1 = _pc_1 + int(1);
    }
    Tuple_march _S24 = s_apply_march(_S22 + 1.0f);
    (&_S21)->value1_3 = _S24.value1_1;
    (&_S21)->value2_3 = _pc_1;
    Tuple_chain _S25;
    (&_S25)->value0_4 = _S22;
    (&_S25)->value1_4 = _S21;
    return _S25;
}

__device__ void s_bwdProp_chain(s_minCtx_chain * _S26, float * _S27)
{
    int _dc_1 = _S26->value2_3 - int(1);
    s_bwdCallableCtx_march _S28;
    (&_S28)->value1_2 = _S26->value1_3;
    float _S29;
    s_bwdProp_march(&_S28, &_S29);
    for(;;)
    {
        if(_dc_1 >= int(0))
        {
        }
        else
        {
            break;
        }
        s_bwdCallableCtx_march _S30;
        (&_S30)->value1_2 = _S26->value0_3[_dc_1];
        float _S31;
        s_bwdProp_march(&_S30, &_S31);
        _S29 = _S29 * 0.5f + _S31;
        _dc_1 = _dc_1 - int(1);
    }
    *_S27 = _S29;
    return;
}

extern "C" __global__ void kernel_chain(float * _S32)
{
    Tuple_chain _S33 = s_apply_chain(_S32[threadIdx.x]);
    s_minCtx_chain _S34 = _S33.value1_4;
    float _S35;
    s_bwdProp_chain(&_S34, &_S35);
    _S32[threadIdx.x] = _S35;
    return;
}
)",
                changes);
}

const std::string chained_call = "        Tuple_march _S23 = s_apply_march(_S22);\n";
const std::string chained_copy = "        (&_S21)->value0_3[_pc_1] = _S23.value1_1;\n";
const std::string single_call = "    Tuple_march _S24 = s_apply_march(_S22 + 1.0f);\n";
const std::string single_stored = "    (&_S21)->value1_3 = _S24.value1_1;\n";

/// A kernel with calls of march's functions; `body` behind `x` and `out`.
std::string calls(const std::string& kernel, const std::string& body) {
    return "\nextern \"C\" __global__ void " + kernel +
           "(float * value)\n{\n    float x = value[threadIdx.x], out = 0.0f;\n" + body +
           "    value[threadIdx.x] = out;\n}\n";
}
/// `out` plus what the backward pass makes of `context`.
std::string backward(const std::string& name, const std::string& context) {
    return "    s_bwdCallableCtx_march b" + name + ";\n    (&b" + name +
           ")->value1_2 = " + context + ";\n    float r" + name + ";\n    s_bwdProp_march(&b" +
           name + ", &r" + name + ");\n    out = out * 0.5f + r" + name + ";\n";
}

std::size_t places(const ByClang& made, const std::string& kernel) {
    return count_of(function_in(made.text, "extern \"C\" __global__ void " + kernel + "("),
                    "slimgrad_arrays_of_s_minCtx_march slimgrad_arrays_");
}

void check_same_on_cpu(const std::string& before, const std::string& after,
                       const std::string& kernel) {
    const std::string expected = run_on_cpu(before, {kernel});
    CHECK(run_on_cpu(after, {kernel}) == expected);
}

} // namespace

TEST_SUITE("clang/context_places") {
    TEST_CASE("a context that goes into another one is filled there") {
        const std::string text = chain({});
        const ByClang made = rewritten_by(text, {"--passes", "single-copy"});
        CHECK(notes_of(made, "single-copy").empty());
        const std::string apply = function_in(made.text, "__device__ Tuple_chain s_apply_chain(");
        CHECK(contains(apply, "s_apply_march(_S22, &slimgrad_arrays->of_value0_3[_pc_1]);"));
        CHECK(contains(apply, "s_apply_march(_S22 + 1.0f, &slimgrad_arrays->of_value1_3);"));
        CHECK_FALSE(contains(apply, "slimgrad_arrays_0"));
        check_same_on_cpu(text, made.text, "kernel_chain");

        const ByClang heap = rewritten_by(text, {"--passes", "heap", "--heap-threshold", "0"});
        CHECK(notes_of(heap, "heap").empty());
        CHECK(contains(
            heap.text,
            "slimgrad_checkpoint_index(_pc_1, 6) * (4ull * slimgrad_checkpoint_slots(98))"));
        check_same_on_cpu(text, heap.text, "kernel_chain");
    }

    TEST_CASE("in nested loops too") {
        const std::string text =
            chain({{"    FixedArray<s_minCtx_march, 6>  value0_3;\n",
                    "    FixedArray<FixedArray<s_minCtx_march, 5> , 6>  value0_3;\n"},
                   {chained_call, "        int _pc_2 = int(0);\n        for(;;)\n        {\n"
                                  "            if(_pc_2 > int(2))\n            {\n"
                                  "                break;\n            }\n" +
                                      chained_call},
                   {chained_copy, "        (&_S21)->value0_3[_pc_1][_pc_2] = _S23.value1_1;\n"},
                   {"        _S22 = _S23.value0_1 - 15.0f;\n",
                    "        _S22 = _S23.value0_1 - 15.0f;\n        _pc_2 = _pc_2 + int(1);\n      "
                    "  }\n"},
                   {"        (&_S30)->value1_2 = _S26->value0_3[_dc_1];\n",
                    "        (&_S30)->value1_2 = _S26->value0_3[_dc_1][int(1)];\n"}});
        const ByClang made = rewritten_by(text, {"--passes", "single-copy"});
        CHECK(notes_of(made, "single-copy").empty());
        CHECK(contains(made.text,
                       "s_apply_march(_S22, &slimgrad_arrays->of_value0_3[_pc_1][_pc_2]);"));
        check_same_on_cpu(text, made.text, "kernel_chain");
        const ByClang heap = rewritten_by(text, {"--passes", "heap", "--heap-threshold", "0"});
        CHECK(notes_of(heap, "heap").empty());
        CHECK(heap.changed_by("heap"));
        check_same_on_cpu(text, heap.text, "kernel_chain");
    }

    TEST_CASE("in one statement as well") {
        const std::string text =
            chain({{single_call + single_stored,
                    "    (&_S21)->value1_3 = s_apply_march(_S22 + 1.0f).value1_1;\n"}});
        const ByClang made = rewritten_by(text, {"--passes", "single-copy"});
        CHECK(notes_of(made, "single-copy").empty());
        CHECK(contains(made.text,
                       "s_apply_march(_S22 + 1.0f, &slimgrad_arrays->of_value1_3).value1_1;"));
        check_same_on_cpu(text, made.text, "kernel_chain");
    }

    TEST_CASE("between the call and the copy nothing may use the place, change its index or go "
              "elsewhere") {
        const std::vector<std::vector<Change>> all = {
            {{chained_copy, ""},
             {"        _pc_1 = _pc_1 + int(1);\n",
              "        _pc_1 = _pc_1 + int(1);\n" + chained_copy}},
            {{chained_copy,
              "        if(_S23.value0_1 > 99.0f)\n        {\n            break;\n        }\n" +
                  chained_copy}},
            {{chained_copy,
              "        if(_S23.value0_1 > 0.0f)\n        {\n    " + chained_copy + "        }\n"}},
            {{chained_copy,
              "        int _S40 = (&(&_S21)->value0_3[_pc_1])->value1_0;\n" + chained_copy}},
            {{"    float _S22 = _S20;\n",
              "    float _S22 = _S20;\n    FixedArray<int, 6> _S41 = { 0, 1, 2, 3, 4, 5 };\n"},
             {chained_copy, "        (&_S21)->value0_3[_S41[_pc_1]] = _S23.value1_1;\n"}},
        };
        for (const std::vector<Change>& changes : all) {
            CAPTURE(changes.back().to);
            const ByClang made = rewritten_by(chain(changes), {"--passes", "single-copy"});
            const std::vector<std::string> notes = notes_of(made, "single-copy");
            REQUIRE_FALSE(notes.empty());
            CHECK(notes[0] == "note: the array value0_0 of s_minCtx_march stays in its context: a "
                              "context goes to "
                              "a place that may change");
            CHECK(contains(made.text, "s_apply_march(_S22);"));
        }
    }

    TEST_CASE("what stands between them otherwise is no harm") {
        const std::string text =
            chain({{chained_copy,
                    "        int _S40 = _pc_1 + int(1);\n        (&_S21)->value2_3 = _S40;\n" +
                        chained_copy}});
        const ByClang made = rewritten_by(text, {"--passes", "single-copy"});
        CHECK(notes_of(made, "single-copy").empty());
        CHECK(contains(made.text, "&slimgrad_arrays->of_value0_3[_pc_1]"));
    }

    TEST_CASE("a context that came another way cannot be stored") {
        const ByClang made = rewritten_by(
            chain({{single_stored,
                    "    s_minCtx_march _S40 = _S24.value1_1;\n    (&_S21)->value1_3 = _S40;\n"}}),
            {"--passes", "single-copy"});
        const std::vector<std::string> notes = notes_of(made, "single-copy");
        REQUIRE_FALSE(notes.empty());
        CHECK(notes[0] == "note: the array value0_0 of s_minCtx_march stays in its context: the "
                          "context of another "
                          "call is stored");
    }

    TEST_CASE("a member is filled by one call only") {
        const std::string text =
            chain({{single_stored,
                    single_stored +
                        "    s_bwdCallableCtx_march _S40;\n    (&_S40)->value1_2 = _S24.value1_1;\n"
                        "    Tuple_march _S41 = s_apply_march(_S22 + 2.0f);\n"
                        "    (&_S21)->value1_3 = _S41.value1_1;\n    float _S42;\n"
                        "    s_bwdProp_march(&_S40, &_S42);\n    _S22 = _S22 + _S42;\n"}});
        const ByClang made = rewritten_by(text, {"--passes", "single-copy"});
        const std::vector<std::string> notes = notes_of(made, "single-copy");
        REQUIRE_FALSE(notes.empty());
        CHECK(notes[0] == "note: the array value0_0 of s_minCtx_march stays in its context: two "
                          "calls fill one member");
        check_same_on_cpu(text, made.text, "kernel_chain");
    }

    TEST_CASE("calls whose contexts are never there at the same time share a place") {
        struct Shared {
            std::string what, body;
            std::size_t places;
        };
        const std::string first = "    Tuple_march t = s_apply_march(x);\n",
                          second = "    Tuple_march u = s_apply_march(x + 1.0f);\n";
        const std::vector<Shared> all = {
            {"one after the other",
             first + backward("0", "t.value1_1") + second + backward("1", "u.value1_1"), 1},
            {"both are there",
             first + second + backward("0", "t.value1_1") + backward("1", "u.value1_1"), 2},
            {"a copy is still there",
             first + "    s_minCtx_march c = t.value1_1;\n" + second + backward("1", "u.value1_1") +
                 backward("0", "c"),
             2},
            {"in one statement",
             "    out = s_apply_march(x).value0_1 - s_apply_march(x + 1.0f).value0_1;\n", 2},
            {"thrown away", "    s_apply_march(x);\n" + second + backward("1", "u.value1_1"), 1},
            {"in each trip",
             "    for(int i = int(0); i < int(3); i = i + int(1))\n    {\n" + first +
                 backward("0", "t.value1_1") + second + backward("1", "u.value1_1") +
                 "    x = x + 0.5f;\n    }\n",
             1},
            {"around a loop",
             first + "    for(int i = int(0); i < int(3); i = i + int(1))\n    {\n" + second +
                 backward("1", "u.value1_1") + backward("0", "t.value1_1") + "    }\n",
             2},
            {"from either branch",
             "    s_minCtx_march c;\n    if(x > 2.0f)\n    {\n" + first +
                 "    c = t.value1_1;\n    }\n    else\n    {\n" + second +
                 "    c = u.value1_1;\n    }\n" + backward("0", "c"),
             2},
        };
        std::string text = array_prelude + march("march", slots);
        std::vector<std::string> kernels;
        for (const Shared& each : all) {
            kernels.push_back("kernel_" + std::to_string(kernels.size()));
            text += calls(kernels.back(), each.body);
        }
        const ByClang made = rewritten_by(text, {"--passes", "single-copy"});
        CHECK(notes_of(made, "single-copy").empty());
        for (std::size_t i = 0; i < all.size(); ++i) {
            CAPTURE(all[i].what);
            CHECK(places(made, kernels[i]) == all[i].places);
        }
        CHECK(run_on_cpu(made.text, kernels) == run_on_cpu(text, kernels));
    }

    TEST_CASE("records of zeros are copied as ever") {
        const std::string zeros =
            "    FixedArray<float, 98>  z = { " + listed("0.0f", slots) + " };\n";
        const std::string choice =
            "    s_minCtx_march c;\n    if(x > 2.0f)\n    {\n    Tuple_march t = "
            "s_apply_march(x);\n"
            "    c = t.value1_1;\n    }\n    else\n    {\n    c = zero;\n    }\n" +
            backward("0", "c") + "    out = out + (&(&b0)->value1_2)->value0_0[int(90)];\n";
        const std::vector<std::string> all = {
            zeros + "    s_minCtx_march zero;\n    (&zero)->value0_0 = z;\n    (&zero)->value1_0 = "
                    "int(5);\n",
            zeros + "    s_minCtx_march zero = { z, int(5) };\n",
        };
        std::string text = array_prelude + march("march", slots);
        for (std::size_t i = 0; i < all.size(); ++i)
            text += calls("kernel_" + std::to_string(i), all[i] + choice);
        const std::vector<std::string> kernels = {"kernel_0", "kernel_1"};
        const std::string expected = run_on_cpu(text, kernels);
        for (const std::string pass : {"single-copy", "heap"}) {
            CAPTURE(pass);
            const ByClang made = rewritten_by(text, {"--passes", pass});
            CHECK(notes_of(made, pass).empty());
            CHECK(contains(made.text, pass == "heap" ? "SlimgradCheckpointArrayOrZeros<float, 98u>"
                                                     : "static __device__ FixedArray<float, 98> "));
            CHECK(run_on_cpu(made.text, kernels) == expected);
        }
        const ByClang ones = rewritten_by(
            array_prelude + march("march", slots) +
                calls("kernel_ones", with(all[0], {{"(&zero)->value0_0 = z",
                                                    "(&zero)->value0_0[int(3)] = 1.0f"}}) +
                                         choice),
            {"--passes", "single-copy"});
        REQUIRE_FALSE(notes_of(ones, "single-copy").empty());
    }
}
