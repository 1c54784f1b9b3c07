// context_arrays.cpp and context_checks.cpp: what is moved and what is refused: small texts that
// differ from one which is understood in one place each. Several lie in one text, and are looked at
// one by one.

#include "generated_text.h"

#include <map>
#include <set>

using namespace slimgrad;

namespace {

/// Behind the backward function of march(): the kernel, to be replaced or to be put something
/// before.
const std::string kernel_head = "extern \"C\" __global__ void kernel_NAME(float * _S8)\n{\n";
const std::string kernel_reads = "    _S8[threadIdx.x] = _S11 + _S9.value0_1;\n";
const std::string result_copied = "    (&_S4)->value1_1 = _S2;\n";
const std::string slot_stored = "        (&_S2)->value0_0[_pc_0] = _S3;\n";
const std::string first_local = "    float _S3 = _S0;\n";

struct Refused {
    std::string name, why;
    std::vector<Change> changes;
};

/// By either pass.
const std::vector<Refused> refused = {
    {"two_contexts",
     "a result of two contexts",
     {{"    s_minCtx_NAME value1_1;\n",
       "    s_minCtx_NAME value1_1;\n    s_minCtx_NAME value2_1;\n"}}},
    {"boxed",
     "a result that is not understood",
     {{kernel_head, "struct Box_NAME\n{\n    Tuple_NAME value0_9;\n};\n"
                    "__device__ Box_NAME box_NAME(float _S0)\n{\n    Box_NAME _S1;\n"
                    "    (&_S1)->value0_9 = s_apply_NAME(_S0);\n    return _S1;\n}\n" +
                        kernel_head}}},
    {"exported",
     "other code calls the function that returns it",
     {{"__device__ Tuple_NAME", "extern \"C\" __device__ Tuple_NAME"}}},
    {"two_returns",
     "more than one return",
     {{first_local, first_local + "    if(_S3 > 99.0f)\n    {\n        Tuple_NAME _S12;\n"
                                  "        return _S12;\n    }\n"}}},
    {"inner_return",
     "more than one return",
     {{"    return _S4;\n", "    {\n    return _S4;\n    }\n"}}},
    {"tail_call",
     "what is returned is no variable",
     {{kernel_head, "__device__ Tuple_NAME tail_NAME(float _S0)\n{\n"
                    "    return s_apply_NAME(_S0);\n}\n" +
                        kernel_head}}},
    {"in_a_list",
     "the result is not filled member by member",
     {{"    Tuple_NAME _S4;\n    (&_S4)->value0_1 = _S3;\n" + result_copied,
       "    Tuple_NAME _S4 = { _S3, _S2 };\n"}}},
    {"used_before",
     "the result is used before it is returned",
     {{result_copied, result_copied + "    s_minCtx_NAME _S12 = (&_S4)->value1_1;\n"}}},
    {"handed_on",
     "the context of the result is no variable",
     {{kernel_head, "__device__ Tuple_NAME again_NAME(float _S0)\n{\n"
                    "    Tuple_NAME _S1 = s_apply_NAME(_S0);\n    Tuple_NAME _S2;\n"
                    "    (&_S2)->value1_1 = _S1.value1_1;\n    return _S2;\n}\n" +
                        kernel_head}}},
    {"not_filled", "the context of the result is not filled", {{result_copied, ""}}},
    {"copied_in_loop",
     "the context is copied in a loop",
     {{result_copied, "    for(;;)\n    {\n    " + result_copied + "        break;\n    }\n"}}},
    {"second_copy",
     "the context is a copy of another one",
     {{result_copied, "    s_minCtx_NAME _S12 = _S2;\n    (&_S4)->value1_1 = _S12;\n"}}},
    {"changed_after",
     "the context changes after it was copied",
     {{result_copied, result_copied + "    (&_S2)->value1_0 = int(3);\n"}}},
    {"list_of_ones",
     "a list that is not made of zeros",
     {{"    s_minCtx_NAME _S2;\n    (&_S2)->value0_0 = _S1;\n",
       "    FixedArray<float, SLOTS>  _S12 = { 1.0f };\n    s_minCtx_NAME _S2 = { _S12, int(0) "
       "};\n"}}},
    {"list_of_minus_zeros",
     "a list that is not made of zeros",
     {{"    s_minCtx_NAME _S2;\n    (&_S2)->value0_0 = _S1;\n",
       "    FixedArray<float, SLOTS>  _S12 = { -0.0f };\n    s_minCtx_NAME _S2 = { _S12, int(0) "
       "};\n"}}},
    {"array_copied", // the zeros are no zeros
     "it is written outside of the function that fills it",
     {{kernel_reads, "    FixedArray<float, SLOTS>  _S12 = { 1.0f };\n"
                     "    (&_S10.value1_2)->value0_0 = _S12;\n" +
                         kernel_reads}}},
    {"added_to",
     "a use that is not understood",
     {{slot_stored, slot_stored + "        (&_S2)->value0_0[_pc_0] += 1.0f;\n"}}},
    {"negated",
     "a use that is not understood",
     {{kernel_reads, "    if(!&_S10)\n    {\n    }\n" + kernel_reads}}},
    {"result_changed",
     "the result of a call is changed",
     {{kernel_reads, "    _S9 = s_apply_NAME(2.0f);\n" + kernel_reads}}},
    {"element_address",
     "its address is taken",
     {{slot_stored, slot_stored + "        float * _S12 = &(&_S2)->value0_0[_pc_0];\n"}}},
    {"element_filled", // by whom its address is given to
     "its address is taken",
     {{"__device__ void s_bwdProp_NAME",
       "__device__ void put_NAME(s_minCtx_NAME * _S1)\n{\n    _S1->value1_0 = int(0);\n}\n"
       "__device__ void s_bwdProp_NAME"},
      {"struct Tuple_NAME\n", "__device__ void set_NAME(FixedArray<float, SLOTS> * _S1)\n{\n"
                              "    (*_S1)[int(0)] = 1.0f;\n}\n\nstruct Tuple_NAME\n"},
      {first_local, first_local + "    set_NAME(&(&_S2)->value0_0);\n"}}},
    {"written_backwards",
     "it is written outside of the function that fills it",
     {{"        _dc_0 = _dc_0 - int(1);\n",
       "        (&_S5->value1_2)->value0_0[_dc_0] = 2.0f;\n        _dc_0 = _dc_0 - int(1);\n"}}},
    {"context_address",
     "its address is taken",
     {{first_local, first_local + "    s_minCtx_NAME * _S12 = &_S2;\n"}}},
    {"context_given",
     "its address is taken",
     {{"__device__ Tuple_NAME",
       "__device__ void look_NAME(s_minCtx_NAME * _S1)\n{\n    int _S2 = _S1->value1_0;\n}\n"
       "__device__ Tuple_NAME"},
      {first_local, first_local + "    look_NAME(&_S2);\n"}}},
    {"copied_early",
     "it is copied before it is complete",
     {{slot_stored, slot_stored + "        s_minCtx_NAME _S12 = _S2;\n"}}},
    {"to_a_global",
     "it is copied to a place that is not understood",
     {{kernel_head, "__device__ s_minCtx_NAME global_NAME;\n" + kernel_head},
      {kernel_reads, "    global_NAME = _S9.value1_1;\n" + kernel_reads}}},
    {"from_a_global",
     "it is made of what is not understood",
     {{kernel_head, "__device__ s_minCtx_NAME global_NAME;\n" + kernel_head},
      {kernel_reads, "    (&_S10)->value1_2 = global_NAME;\n" + kernel_reads}}},
    {"by_value",
     "it is copied in a way that is not understood",
     {{kernel_head,
       "__device__ int take_NAME(s_minCtx_NAME _S1)\n{\n    return (&_S1)->value1_0;\n}\n" +
           kernel_head},
      {kernel_reads, "    int _S12 = take_NAME(_S9.value1_1);\n" + kernel_reads}}},
    {"through_a_pointer",
     "it is written through a pointer",
     {{kernel_head, "__device__ void put_NAME(s_bwdCallableCtx_NAME * _S1, Tuple_NAME * _S2)\n{\n"
                    "    _S1->value1_2 = _S2->value1_1;\n}\n" +
                        kernel_head}}},
    {"outlives_a_trip",
     "a copy outlives the trip of a loop",
     {{"    Tuple_NAME _S9 = s_apply_NAME(_S8[threadIdx.x]);\n    s_bwdCallableCtx_NAME _S10;\n"
       "    (&_S10)->value1_2 = _S9.value1_1;\n    float _S11;\n    s_bwdProp_NAME(&_S10, "
       "&_S11);\n" +
           kernel_reads,
       "    s_bwdCallableCtx_NAME _S10;\n    for(int i = int(0); i < int(3); i = i + int(1))\n    "
       "{\n"
       "        Tuple_NAME _S9 = s_apply_NAME(_S8[threadIdx.x] + float(i));\n"
       "        if(i == int(1))\n        {\n            (&_S10)->value1_2 = _S9.value1_1;\n        "
       "}\n    }\n"
       "    float _S11;\n    s_bwdProp_NAME(&_S10, &_S11);\n    _S8[threadIdx.x] = _S11;\n"}}},
};

/// With elements of two numbers.
std::vector<Change> of_pairs(std::vector<Change> more) {
    std::vector<Change> changes = {
        {"{\n    FixedArray<float, SLOTS>  value0_0;",
         "{\n    FixedArray<float2, SLOTS>  value0_0;"},
        {"    FixedArray<float, SLOTS>  _S1 = { ZEROS };",
         "    float2 _S13 = make_float2 (0.0f);\n    FixedArray<float2, SLOTS>  _S1 = { PAIRS };"},
        {"        (&_S2)->value0_0[_pc_0] = _S3;",
         "        (&_S2)->value0_0[_pc_0] = make_float2 (_S3);"},
        {"(&_S5->value1_2)->value0_0[_dc_0];", "(&_S5->value1_2)->value0_0[_dc_0].x;"}};
    changes.insert(changes.end(), more.begin(), more.end());
    return changes;
}

/// Only by the heap, which gives and takes whole elements.
const std::vector<Refused> refused_by_heap = {
    {"read_whole",
     "it is read as a whole",
     {{"    float _S7 = 1.0f;\n", "    float _S7 = 1.0f;\n    FixedArray<float, SLOTS>  _S12 = "
                                  "(&_S5->value1_2)->value0_0;\n"}}},
    {"element_given",
     "its address is taken",
     {{"__device__ void s_bwdProp_NAME",
       "__device__ float look_NAME(FixedArray<float, SLOTS> * _S1)\n{\n"
       "    return (*_S1)[int(0)];\n}\n\n__device__ void s_bwdProp_NAME"},
      {"    *_S6 = _S7;\n", "    *_S6 = _S7 + look_NAME(&(&_S5->value1_2)->value0_0);\n"}}},
    {"member_written", "not whole elements are written",
     of_pairs({{"make_float2 (_S3);\n",
                "make_float2 (_S3);\n        (&_S2)->value0_0[_pc_0].y = 3.0f;\n"}})},
};

constexpr unsigned slots = 98; // of 392 bytes: more than nvcc unrolls

std::string body(const Refused& each) {
    return with_all(march(each.name, slots, each.changes), "PAIRS", listed("_S13", slots));
}

/// The notes about each case's record.
std::map<std::string, std::set<std::string>> reasons(const ByClang& made, const std::string& pass) {
    std::map<std::string, std::set<std::string>> result;
    for (const std::string& note : notes_of(made, pass)) {
        const std::string begin = "note: the array value0_0 of s_minCtx_",
                          middle = " stays in its context: ";
        const std::size_t at = note.find(middle);
        REQUIRE_MESSAGE(note.compare(0, begin.size(), begin) == 0, note);
        REQUIRE_MESSAGE(at != std::string::npos, note);
        result[note.substr(begin.size(), at - begin.size())].insert(
            note.substr(at + middle.size()));
    }
    return result;
}

/// The arrays of which records the text has outside of them.
bool is_moved(const ByClang& made, const std::string& name) {
    return contains(made.text, "struct slimgrad_arrays_of_s_minCtx_" + name + " ") ||
           !contains(
               made.text.substr(made.text.find("struct s_minCtx_" + name + "\n")).substr(0, 90),
               "FixedArray");
}

} // namespace

TEST_SUITE("clang/context_arrays") {
    TEST_CASE("a use that is not understood: that array stays, with a note; others are moved") {
        std::string text = array_prelude + march("plain", slots);
        for (const Refused& each : refused)
            text += body(each);
        for (const std::string pass : {"single-copy", "heap"}) {
            CAPTURE(pass);
            const ByClang made = rewritten_by(text, {"--passes", pass});
            const auto found = reasons(made, pass);
            for (const Refused& each : refused) {
                CAPTURE(each.name);
                REQUIRE(found.count(each.name) == 1);
                CHECK(found.at(each.name) == std::set<std::string>{each.why});
                CHECK_FALSE(is_moved(made, each.name));
                for (const std::string function :
                     {"__device__ Tuple_NAME s_apply_NAME(", "__device__ void s_bwdProp_NAME("}) {
                    const std::string head = with_all(function, "NAME", each.name);
                    CHECK(function_in(made.text, head) == function_in(text, head));
                }
            }
            CHECK(found.size() == refused.size());
            CHECK(is_moved(made, "plain"));
        }
    }

    TEST_CASE("the heap gives and takes whole elements") {
        std::string text = array_prelude;
        for (const Refused& each : refused_by_heap)
            text += body(each);
        const ByClang heap = rewritten_by(text, {"--passes", "heap"});
        const auto found = reasons(heap, "heap");
        for (const Refused& each : refused_by_heap) {
            CAPTURE(each.name);
            REQUIRE(found.count(each.name) == 1);
            CHECK(found.at(each.name) == std::set<std::string>{each.why});
        }
        CHECK_FALSE(heap.changed_by("heap"));
        CHECK(heap.text == text);

        const ByClang copied = rewritten_by(text, {"--passes", "single-copy"});
        CHECK(notes_of(copied, "single-copy").empty());
        for (const Refused& each : refused_by_heap)
            CHECK(is_moved(copied, each.name));
        const std::vector<std::string> kernels = {"kernel_read_whole", "kernel_element_given",
                                                  "kernel_member_written"};
        CHECK(run_on_cpu(copied.text, kernels) == run_on_cpu(text, kernels));
    }

    TEST_CASE("members of elements are read in every form") {
        const std::string text =
            array_prelude +
            body({"members", "",
                  of_pairs({{"    *_S6 = _S7;\n",
                             "    *_S6 = _S7 + (&(&_S5->value1_2)->value0_0[int(0)])->y;\n"}})});
        for (const std::string pass : {"single-copy", "heap"}) {
            CAPTURE(pass);
            const ByClang made = rewritten_by(text, {"--passes", pass});
            CHECK(made.changed_by(pass));
            CHECK(notes_of(made, pass).empty());
            CHECK(run_on_cpu(made.text, {"kernel_members"}) ==
                  run_on_cpu(text, {"kernel_members"}));
        }
    }

    TEST_CASE("a copy of the caller's context may outlive the trip of a loop") {
        // What is there outlives the function.
        const std::string text =
            array_prelude +
            march("march", slots,
                  {{"    float _S7 = 1.0f;\n",
                    "    float _S7 = 1.0f;\n    s_minCtx_NAME _S12;\n"
                    "    for(int i = int(0); i < int(3); i = i + int(1))\n    {\n"
                    "        s_minCtx_NAME _S13 = _S5->value1_2;\n        _S12 = _S13;\n    }\n"},
                   {"    *_S6 = _S7;\n", "    *_S6 = _S7 + (&_S12)->value0_0[int(0)];\n"}});
        const ByClang made = rewritten_by(text, {"--passes", "single-copy"});
        CHECK(notes_of(made, "single-copy").empty());
        CHECK(run_on_cpu(made.text, {"kernel_march"}) == run_on_cpu(text, {"kernel_march"}));
        const ByClang local =
            rewritten_by(with(text, {{"        s_minCtx_march _S13 = _S5->value1_2;\n",
                                      "        Tuple_march _S14 = s_apply_march(2.0f + float(i));\n"
                                      "        s_minCtx_march * _S15 = &(&_S14)->value1_1;\n"
                                      "        s_minCtx_march _S13 = *_S15;\n"}}),
                         {"--passes", "single-copy"});
        REQUIRE_FALSE(notes_of(local, "single-copy").empty());
        CHECK_FALSE(local.changed_by("single-copy"));
    }

    TEST_CASE("a note has the shader's place") {
        const std::string text =
            array_prelude +
            march("march", slots,
                  {{slot_stored, slot_stored + "\n#line 41 \"lib/step.slang\"\n"
                                               "        (&_S2)->value0_0[_pc_0] += 1.0f;\n"}});
        const ByClang made = rewritten_by(text, {});
        REQUIRE(made.report.at("notes").size() == 1);
        const nlohmann::json note = made.report.at("notes")[0];
        CHECK(note.at("file") == "lib/step.slang");
        CHECK(note.at("line") == 41);
        CHECK(note.at("severity") == "note");
        CHECK(made.text == text);
    }
}
