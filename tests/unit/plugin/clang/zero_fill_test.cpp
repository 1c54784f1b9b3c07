// Zero fills: every element that can be read has the value it had, and no more is filled than has
// to be. All shapes of the loop lie in one text.

#include "generated_text.h"

using namespace slimgrad;

namespace {

const std::string store = "        (&_S2)->value0_0[_pc_0] = _S3;\n";
const std::string exit_test =
    "        if(_S3 < 16.0f)\n        {\n        }\n        else\n        {\n"
    "            break;\n        }\n";
const std::string step = "        _pc_0 = _pc_0 + int(1);\n";
const std::string counter = "    int _pc_0 = int(0);\n";
const std::string fill = "    (&_S2)->value0_0 = _S1;\n";
/// The backward function reads all of the array instead of what the loop reached.
const Change reads_all = {"    int _dc_0 = (&_S5->value1_2)->value1_0 - int(1);\n",
                          "    int _dc_0 = int(97);\n"};

struct Fills {
    bool whole = false; ///< before the loop
    unsigned paths = 0; ///< places in the loop where a slot is filled
    bool tail = false;  ///< behind it, the slots that it did not reach
};
const Fills none, whole{true}, one_path{false, 1}, two_paths{false, 2}, tail{false, 0, true},
    one_path_and_tail{false, 1, true};

struct Shape {
    std::string name;
    Fills fills;
    std::vector<Change> changes;
};

const std::vector<Shape> shapes = {
    // Each trip writes its slot, and the backward loop starts at the last one: no zero is read.
    {"plain", none, {}},
    {"by_next", none, {{step, "        int _S12 = _pc_0 + int(1);\n        _pc_0 = _S12;\n"}}},
    {"starts_one_up", whole, {{counter, "    int _pc_0 = int(1);\n"}}},
    {"in_twos", whole, {{step, "        _pc_0 = _pc_0 + int(2);\n"}}},
    {"skips_by_next",
     whole,
     {{step, "        int _S12 = _pc_0 + int(1);\n        if(_S3 > 4.0f)\n        {\n"
             "            _S12 = _pc_0 + int(2);\n        }\n        _pc_0 = _S12;\n"}}},
    {"set_again",
     whole,
     {{step,
       step + "        if(_S3 == 4.0f)\n        {\n            _pc_0 = int(9);\n        }\n"}}},
    {"stored_behind_the_step", whole, {{store, ""}, {step, step + store}}},
    {"leaves_behind_the_step", whole, {{exit_test, ""}, {step, step + exit_test}}},
    {"begins_anew",
     whole,
     {{store, "        if(_S3 == 1.0f)\n        {\n            _S3 = 1.25f;\n            "
              "continue;\n        }\n" +
                  store}}},
    {"with_a_condition",
     whole,
     {{"    for(;;)\n    {\n        (&_S2)->value1_0",
       "    for(; _pc_0 < int(90); )\n    {\n        (&_S2)->value1_0"}}},
    {"two_loops",
     whole,
     {{"    Tuple_NAME _S4;\n",
       "    int _pc_1 = int(20);\n    for(;;)\n    {\n        if(_pc_1 > int(30))\n        {\n"
       "            break;\n        }\n        (&_S2)->value0_0[_pc_1] = _S3;\n"
       "        _pc_1 = _pc_1 + int(1);\n    }\n    Tuple_NAME _S4;\n"},
      reads_all}},
    {"outside_of_the_loop",
     whole,
     {{counter, counter + "    (&_S2)->value0_0[int(5)] = _S3;\n"}, reads_all}},
    {"read_by_itself",
     whole,
     {{"    (&_S4)->value0_1 = _S3;\n",
       "    (&_S4)->value0_1 = _S3 + (&_S2)->value0_0[int(60)];\n"}}},
    {"filled_in_a_branch", whole, {{fill, "    if(_S0 < 9.0f)\n    {\n    " + fill + "    }\n"}}},
    {"filled_behind_the_loop",
     whole,
     {{fill, ""}, {"    Tuple_NAME _S4;\n", fill + "    Tuple_NAME _S4;\n"}}},

    // A path that does not write the slot fills it.
    {"if_only",
     one_path,
     {{store, "        if(_S3 > 3.0f)\n        {\n    " + store + "        }\n"}}},
    {"in_one_arm",
     one_path,
     {{store, "        if(_S3 > 3.0f)\n        {\n    " + store +
                  "        }\n        else\n        {\n"
                  "            _S3 = _S3 + 0.5f;\n        }\n"}}},
    {"in_both_arms",
     none,
     {{store, "        if(_S3 > 3.0f)\n        {\n    " + store +
                  "        }\n        else\n        {\n"
                  "            (&_S2)->value0_0[_pc_0] = 2.0f;\n        }\n"}}},
    {"else_if",
     one_path,
     {{store, "        if(_S3 > 9.0f)\n        {\n    " + store +
                  "        }\n        else if(_S3 > 3.0f)\n        {\n"
                  "            (&_S2)->value0_0[_pc_0] = 2.0f;\n        }\n"}}},
    {"deeper",
     two_paths,
     {{store,
       "        if(_S3 > 2.0f)\n        {\n            if(_S3 < 9.0f)\n            {\n        " +
           store + "            }\n        }\n"}}},
    {"in_an_inner_loop",
     one_path,
     {{store, "        for(int j = int(0); j < int(2); j = j + int(1))\n        {\n            "
              "if(_S3 > 3.0f)\n"
              "            {\n        " +
                  store + "            }\n        }\n"}}},
    {"leaves_first", one_path, {{exit_test, ""}, {store, exit_test + store}}},
    {"leaves_first_without_braces",
     one_path,
     {{exit_test, ""}, {store, "        if(_S3 >= 16.0f)\n            break;\n" + store}}},
    {"leaves_in_a_branch",
     one_path,
     {{exit_test, ""},
      {store, "        if(_S3 > 3.0f)\n        {\n            _S3 = _S3 + 0.5f;\n            "
              "if(_S3 >= 16.0f)\n"
              "            {\n                break;\n            }\n        }\n" +
                  store}}},

    // Where other slots can be read, they are filled behind the loop.
    {"all_read", tail, {reads_all}},
    {"all_read_if_only",
     one_path_and_tail,
     {reads_all, {store, "        if(_S3 > 3.0f)\n        {\n    " + store + "        }\n"}}},
    {"one_more_read", tail, {{"->value1_0 - int(1);\n", "->value1_0 + int(1);\n"}}},
    {"last_read", none, {{"->value1_0 - int(1);\n", "->value1_0;\n"}}},
    {"counts_up",
     tail,
     {{"    int _dc_0 = (&_S5->value1_2)->value1_0 - int(1);\n",
       "    int _dc_0 = (&_S5->value1_2)->value1_0 - int(1);\n    int _S14 = int(0);\n"},
      {"        _dc_0 = _dc_0 - int(1);\n", "        _dc_0 = _S14 < int(60) ? _dc_0 + int(1) : "
                                            "int(-1);\n        _S14 = _S14 + int(1);\n"}}},
    {"counts_up_by_next",
     tail,
     {{"    float _S7 = 1.0f;\n", "    float _S7 = 1.0f;\n    int _S15 = int(0);\n"},
      {"        _dc_0 = _dc_0 - int(1);\n",
       "        int _S14 = _dc_0 - int(1);\n        if(_S15 < int(3))\n        {\n"
       "            _S14 = _dc_0 + int(9);\n        }\n        _S15 = _S15 + int(1);\n        "
       "_dc_0 = _S14;\n"}}},
    {"read_elsewhere",
     tail,
     {{"_S11 + _S9.value0_1;\n",
       "_S11 + _S9.value0_1 + (&(&_S10)->value1_2)->value0_0[int(70)];\n"}}},
    {"another_context",
     tail,
     {{"    float _S11;\n",
       "    int _S14 = (&(&_S10)->value1_2)->value1_0 - int(1);\n"
       "    Tuple_NAME _S15 = s_apply_NAME(15.0f);\n    (&_S10)->value1_2 = _S15.value1_1;\n"
       "    float _S16 = (&(&_S10)->value1_2)->value0_0[_S14];\n    float _S11;\n"},
      {"_S11 + _S9.value0_1;\n", "_S11 + _S9.value0_1 + _S16;\n"}}},
    {"counter_late", // what the loop says of its trips is not of this one
     false,
     0,
     true,
     {{"        (&_S2)->value1_0 = _pc_0;\n", ""},
      {exit_test, exit_test + "        (&_S2)->value1_0 = _pc_0;\n"}}},
    {"counter_too_large",
     tail,
     {{"    Tuple_NAME _S4;\n", "    (&_S2)->value1_0 = int(50);\n    Tuple_NAME _S4;\n"}}},
};

/// A loop in a loop, as many trips as either happens to make; what they counted is stored.
std::string nest(const std::string& name, const std::vector<Change>& changes) {
    std::string text = with(R"(
struct s_minCtx_NAME
{
    FixedArray<FixedArray<float, 26> , 26>  value0_0;
    FixedArray<int, 26>  value1_0;
    int value2_0;
};

struct Tuple_NAME
{
    float value0_1;
    s_minCtx_NAME value1_1;
};

__device__ Tuple_NAME s_apply_NAME(float _S0)
{
    FixedArray<float, 26>  _S1 = { ZEROS };
    FixedArray<FixedArray<float, 26> , 26>  _S2 = { ROWS };
    FixedArray<int, 26>  _S3 = { COUNTS };
    s_minCtx_NAME _S4;
    (&_S4)->value0_0 = _S2;
    (&_S4)->value1_0 = _S3;
    (&_S4)->value2_0 = int(0);
    float _S5 = _S0;
    int _pc_0 = int(0);
    for(;;)
    {
        (&_S4)->value2_0 = _pc_0;
        if(_S5 < 16.0f)
        {
        }
        else
        {
            break;
        }
        int _pc_1 = int(0);
        for(;;)
        {
            (&_S4)->value1_0[_pc_0] = _pc_1;
            (&_S4)->value0_0[_pc_0][_pc_1] = _S5;
            if(_S5 < 2.0f * float(_pc_0 + int(1)))
            {
            }
            else
            {
                break;
            }
            _S5 = _S5 * 1.125f + 0.125f;
            _pc_1 = _pc_1 + int(1);
        }
        _S5 = _S5 + 0.25f;
        _pc_0 = _pc_0 + int(1);
    }
    Tuple_NAME _S6;
    (&_S6)->value0_1 = _S5;
    (&_S6)->value1_1 = _S4;
    return _S6;
}

__device__ void s_bwdProp_NAME(s_minCtx_NAME * _S7, float * _S8)
{
    float _S9 = 1.0f;
    int _dc_0 = _S7->value2_0 - int(1);
    for(;;)
    {
        if(_dc_0 >= int(0))
        {
        }
        else
        {
            break;
        }
        int _dc_1 = _S7->value1_0[_dc_0] - int(1);
        for(;;)
        {
            if(_dc_1 >= int(0))
            {
            }
            else
            {
                break;
            }
            _S9 = _S9 * 0.75f + _S7->value0_0[_dc_0][_dc_1];
            _dc_1 = _dc_1 - int(1);
        }
        _dc_0 = _dc_0 - int(1);
    }
    *_S8 = _S9;
    return;
}

extern "C" __global__ void kernel_NAME(float * _S10)
{
    Tuple_NAME _S11 = s_apply_NAME(_S10[threadIdx.x]);
    s_minCtx_NAME _S12 = _S11.value1_1;
    float _S13;
    s_bwdProp_NAME(&_S12, &_S13);
    _S10[threadIdx.x] = _S13;
    return;
}
)",
                            changes);
    text = with_all(std::move(text), "ZEROS", listed("0.0f", 26));
    text = with_all(std::move(text), "ROWS", listed("_S1", 26));
    text = with_all(std::move(text), "COUNTS", listed("int(0)", 26));
    return with_all(std::move(text), "NAME", name);
}

const std::string outer_start = "    int _dc_0 = _S7->value2_0 - int(1);\n";
const std::string inner_start = "        int _dc_1 = _S7->value1_0[_dc_0] - int(1);\n";
const std::string nest_store = "            (&_S4)->value0_0[_pc_0][_pc_1] = _S5;\n";

const std::vector<Shape> nests = {
    {"nest", none, {}},
    {"nest_as_slangc_indexes_it",
     none,
     {{nest_store, "            (&_S4)->value0_0[_pc_1][_pc_0] = _S5;\n"},
      {"_S7->value0_0[_dc_0][_dc_1]", "_S7->value0_0[_dc_1][_dc_0]"}}},
    {"nest_if_only",
     one_path,
     {{nest_store,
       "            if(_S5 > 3.0f)\n            {\n    " + nest_store + "            }\n"}}},
    {"nest_all_read",
     whole,
     {{outer_start, "    int _dc_0 = int(25);\n"},
      {inner_start, "        int _dc_1 = int(25);\n"}}},
    {"nest_all_of_a_row", whole, {{inner_start, "        int _dc_1 = int(25);\n"}}},
    {"nest_all_of_a_column", whole, {{outer_start, "    int _dc_0 = int(25);\n"}}},
    {"nest_other_row",
     whole,
     {{"_S7->value0_0[_dc_0][_dc_1]", "_S7->value0_0[_dc_0 / int(2)][_dc_1]"}}},
    {"nest_swapped", whole, {{"_S7->value0_0[_dc_0][_dc_1]", "_S7->value0_0[_dc_1][_dc_0]"}}},
    // The outer loop's last trip leaves before the inner one: no element of that row was reached.
    {"nest_last_row",
     whole,
     {{outer_start, "    int _dc_0 = _S7->value2_0;\n"},
      {inner_start, "        int _dc_1 = _S7->value1_0[_dc_0];\n"}}},
    // The row before, with what this one counted.
    {"nest_row_before",
     whole,
     {{"            _S9 = _S9 * 0.75f + _S7->value0_0[_dc_0][_dc_1];\n", ""},
      {"        _dc_0 = _dc_0 - int(1);\n",
       "        int _S14 = _S7->value1_0[_dc_0];\n        _dc_0 = _dc_0 - int(1);\n"
       "        int _dc_2 = _S14 - int(1);\n        for(;;)\n        {\n"
       "            if(_dc_2 < int(0) || _dc_0 < int(0))\n            {\n                break;\n"
       "            }\n            _S9 = _S9 * 0.75f + _S7->value0_0[_dc_0][_dc_2];\n"
       "            _dc_2 = _dc_2 - int(1);\n        }\n"}}},
    {"nest_row_stepped_early",
     whole,
     {{"            _S9 = _S9 * 0.75f + _S7->value0_0[_dc_0][_dc_1];\n", ""},
      {"        _dc_0 = _dc_0 - int(1);\n", ""},
      {inner_start, inner_start +
                        "        _dc_0 = _dc_0 - int(1);\n"
                        "        if(_dc_0 >= int(0))\n        {\n"
                        "            _S9 = _S9 * 0.75f + _S7->value0_0[_dc_0][_dc_1 + int(1)];\n"
                        "            if(_dc_1 >= int(0))\n            {\n"
                        "                _S9 = _S9 * 0.75f + _S7->value0_0[_dc_0][_dc_1];\n"
                        "            }\n        }\n"}}},
};

std::string text_of_all() {
    std::string text = array_prelude;
    for (const Shape& shape : shapes)
        text += march(shape.name, 98, shape.changes);
    return text;
}

std::vector<std::string> kernels_of_all() {
    std::vector<std::string> kernels;
    for (const Shape& shape : shapes)
        kernels.push_back("kernel_" + shape.name);
    return kernels;
}

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result(1);
    for (const char c : text) {
        result.back() += c;
        if (c == '\n')
            result.emplace_back();
    }
    return result;
}

/// Whether what the shape's function fills is what is expected. `zero` stores one.
void check_fills(const ByClang& made, const Shape& shape, const std::string& zero,
                 const std::string& extent) {
    const std::string function = function_in(made.text, "s_apply_" + shape.name + "(float");
    const std::string in_slots = "if(_pc_0 < " + extent + ")";
    CHECK(contains(function, "for(int slimgrad_i0 = 0; ") == shape.fills.whole);
    CHECK(contains(function, "for(int slimgrad_i0 = _pc_0 + 1; ") == shape.fills.tail);
    CHECK(count_of(function, in_slots) == shape.fills.paths);
    CHECK(count_of(function, zero) == shape.fills.paths + shape.fills.whole + shape.fills.tail);
    CHECK_FALSE(contains(function, "_S1;"));
    CHECK_FALSE(contains(function, "  _S1 "));
}

} // namespace

TEST_SUITE("clang/zero_fill") {
    TEST_CASE(
        "slots are filled where the loop does not write them, and behind it where they are read") {
        const std::string text = text_of_all();
        const std::vector<std::string> expected = lines(run_on_cpu(text, kernels_of_all()));
        for (const std::string pass : {"single-copy", "heap"}) {
            CAPTURE(pass);
            const ByClang made = rewritten_by(text, {"--passes", pass});
            CHECK(notes_of(made, pass).empty());
            const std::vector<std::string> found = lines(run_on_cpu(made.text, kernels_of_all()));
            REQUIRE(found.size() == shapes.size() + 1);
            for (std::size_t i = 0; i < shapes.size(); ++i) {
                CAPTURE(shapes[i].name);
                CHECK(found[i] == expected[i]);
                if (pass == "heap")
                    check_fills(made, shapes[i], ", 0.0f)", "int(slimgrad_checkpoint_slots(98))");
                else
                    check_fills(made, shapes[i], "] = 0.0f;", "98");
            }
        }
    }

    TEST_CASE("elements that nested loops did not reach stay unfilled where nothing reads them") {
        std::string text = array_prelude;
        std::vector<std::string> kernels;
        for (const Shape& shape : nests) {
            text += nest(shape.name, shape.changes);
            kernels.push_back("kernel_" + shape.name);
        }
        const std::vector<std::string> expected = lines(run_on_cpu(text, kernels));
        for (const std::string pass : {"single-copy", "heap"}) {
            CAPTURE(pass);
            const ByClang made = rewritten_by(text, {"--passes", pass});
            CHECK(notes_of(made, pass).empty());
            const std::vector<std::string> found = lines(run_on_cpu(made.text, kernels));
            REQUIRE(found.size() == nests.size() + 1);
            for (std::size_t i = 0; i < nests.size(); ++i) {
                CAPTURE(nests[i].name);
                CHECK(found[i] == expected[i]);
                const std::string function =
                    function_in(made.text, "s_apply_" + nests[i].name + "(float");
                CHECK(contains(function, pass == "heap" ? ".store(slimgrad_i0, slimgrad_i1, 0.0f)"
                                                        : "[slimgrad_i0][slimgrad_i1] = 0.0f;") ==
                      nests[i].fills.whole);
                CHECK(count_of(function, pass == "heap"
                                             ? ".store(_pc_0, _pc_1, 0.0f)"
                                             : "[_pc_0][_pc_1] = 0.0f;") == nests[i].fills.paths);
            }
        }
    }

    TEST_CASE("a zero array that something else uses stays") {
        const std::string text =
            array_prelude + march("march", 98,
                                  {{"    (&_S4)->value0_1 = _S3;\n",
                                    "    (&_S4)->value0_1 = _S3 + (&_S1)->m_data[3];\n"}});
        const ByClang made = rewritten_by(text, {"--passes", "single-copy"});
        CHECK(made.changed_by("single-copy"));
        CHECK(contains(made.text, "    FixedArray<float, 98>  _S1 = { 0.0f,"));
        CHECK(run_on_cpu(made.text, {"kernel_march"}) == run_on_cpu(text, {"kernel_march"}));
    }
}
