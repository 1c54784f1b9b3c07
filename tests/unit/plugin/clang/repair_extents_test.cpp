#include "generated_text.h"

using namespace slimgrad;

namespace {

/// Two nested loops of `trips` store into an array that is declared [outer][inner], and index it
/// [inner][outer]. ROWS, COLUMNS: as declared. Backward loops count down from constants.
std::string nested(const std::vector<Change>& changes, unsigned rows = 10, unsigned columns = 5) {
    std::string text = with(R"(
struct s_minCtx_nest
{
    FixedArray<FixedArray<float, COLUMNS> , ROWS>  value0_0;
    int value1_0;
};

struct Tuple_nest
{
    float value0_1;
    s_minCtx_nest value1_1;
};

__device__ Tuple_nest s_apply_nest(float _S0)
{
    FixedArray<float, COLUMNS>  _S1 = { ROW };
    FixedArray<FixedArray<float, COLUMNS> , ROWS>  _S2 = { ALL };
    s_minCtx_nest _S3;
    (&_S3)->value0_0 = _S2;
    (&_S3)->value1_0 = int(0);
    float _S4 = _S0;
    int _pc_0 = int(0);
    for(;;)
    {
        if(_pc_0 < int(8))
        {
        }
        else
        {
            break;
        }
        int _pc_1 = int(0);
        for(;;)
        {
            if(_pc_1 < int(3))
            {
            }
            else
            {
                break;
            }
            (&_S3)->value0_0[_pc_1][_pc_0] = _S4;
            _S4 = _S4 * 0.875f + 0.25f;
            _pc_1 = _pc_1 + int(1);
        }
        _pc_0 = _pc_0 + int(1);
    }
    Tuple_nest _S5;
    (&_S5)->value0_1 = _S4;
    (&_S5)->value1_1 = _S3;
    return _S5;
}

__device__ void s_bwdProp_nest(s_minCtx_nest * _S6, float * _S7)
{
    float _S8 = 1.0f;
    int _dc_0 = int(8);
    for(;;)
    {
        if(_dc_0 >= int(0))
        {
        }
        else
        {
            break;
        }
        int _dc_1 = int(3);
        for(;;)
        {
            if(_dc_1 >= int(0))
            {
            }
            else
            {
                break;
            }
            _S8 = _S8 * 0.75f + _S6->value0_0[_dc_1][_dc_0];
            _dc_1 = _dc_1 - int(1);
        }
        _dc_0 = _dc_0 - int(1);
    }
    *_S7 = _S8;
    return;
}

extern "C" __global__ void kernel_nest(float * _S9)
{
    Tuple_nest _S10 = s_apply_nest(_S9[threadIdx.x]);
    s_minCtx_nest _S11 = _S10.value1_1;
    float _S12;
    s_bwdProp_nest(&_S11, &_S12);
    _S9[threadIdx.x] = _S12;
    return;
}
)",
                            changes);
    text = with_all(std::move(text), "ROW }", listed("0.0f", columns) + " }");
    text = with_all(std::move(text), "ALL", listed("_S1", rows));
    text = with_all(std::move(text), "ROWS", std::to_string(rows));
    return array_prelude + with_all(std::move(text), "COLUMNS", std::to_string(columns));
}

ByClang repaired(const std::string& text) {
    return rewritten_by(text, {"--passes", "repair-extents"});
}

const std::string was_wrong = "error: nested loops store into an array that is declared ";
const std::string not_repaired =
    " and indexed the other way round: gradients are wrong, and are not repaired, because ";

void check_repaired(const std::string& text, const std::string& right) {
    const ByClang made = repaired(text);
    REQUIRE(made.changed_by("repair-extents"));
    CHECK(notes_of(made, "repair-extents").size() == 1);
    CHECK(run_on_cpu(made.text, {"kernel_nest"}) == run_on_cpu(right, {"kernel_nest"}));
    const ByClang again = repaired(made.text);
    CHECK(again.text == made.text);
    CHECK(notes_of(again, "repair-extents").empty());
}

/// Told, and not changed.
void check_told(const std::string& text, const std::string& why) {
    const ByClang made = repaired(text);
    CHECK(made.text == text);
    CHECK(notes_of(made, "repair-extents") ==
          std::vector<std::string>{
              was_wrong + "[10][5]" + not_repaired + why +
              "; give both loops the same bound, or put the inner one into a function"});
}

/// Nothing is wrong with it.
void check_silent(const std::string& text) {
    const ByClang made = repaired(text);
    CHECK(made.text == text);
    CHECK(made.report.at("notes").empty());
}

const std::string outer_start = "    int _dc_0 = int(8);\n",
                  inner_start = "        int _dc_1 = int(3);\n";
const std::string store = "            (&_S3)->value0_0[_pc_1][_pc_0] = _S4;\n";

/// Backward loops that start at a stored number of trips: no evidence.
std::vector<Change> unknown_trips(std::vector<Change> more) {
    std::vector<Change> changes = {
        {outer_start, "    int _dc_0 = _S6->value1_0;\n"},
        {inner_start, "        int _dc_1 = _S6->value1_0 - int(5);\n"},
        {"    (&_S3)->value1_0 = int(0);\n", "    (&_S3)->value1_0 = int(8);\n"}};
    changes.insert(changes.end(), more.begin(), more.end());
    return changes;
}

/// A number per trip of the outer loop, in an array of its own.
std::vector<Change> array_of_outer(unsigned slots) {
    const std::string type = "FixedArray<float, " + std::to_string(slots) + ">  ";
    return {{"    int value1_0;\n", "    int value1_0;\n    " + type + "value2_0;\n"},
            {"    float _S4 = _S0;\n",
             "    " + type + "_S13 = {};\n    (&_S3)->value2_0 = _S13;\n    float _S4 = _S0;\n"},
            {"        int _pc_1 = int(0);\n",
             "        (&_S3)->value2_0[_pc_0] = _S4;\n        int _pc_1 = int(0);\n"}};
}

} // namespace

TEST_SUITE("clang/repair_extents") {
    TEST_CASE("the extents are exchanged where backward loops start at constants") {
        const ByClang made = repaired(nested({}));
        CHECK(notes_of(made, "repair-extents") ==
              std::vector<std::string>{
                  was_wrong + "[10][5] and indexed the other way round: gradients were wrong; "
                              "it is [5][10] now, and gradients change"});
        CHECK(contains(made.text, "    FixedArray<FixedArray<float, 10> , 5>   value0_0;\n"));
        check_repaired(nested({}), nested({}, 5, 10));
    }

    TEST_CASE("where one of them does") {
        check_repaired(
            nested({{inner_start, "        int _dc_1 = _S6->value1_0;\n"},
                    {"    (&_S3)->value1_0 = int(0);\n", "    (&_S3)->value1_0 = int(3);\n"}}),
            nested({}, 5, 10));
    }

    TEST_CASE("where an array that one of the counters alone indexes shows it") {
        check_repaired(nested(unknown_trips(array_of_outer(10))), nested({}, 5, 10));
    }

    TEST_CASE("each such array is an error with the shader's place") {
        const ByClang made = repaired(nested({{store, "\n#line 7 \"march.slang\"\n" + store}}));
        REQUIRE(made.report.at("notes").size() == 1);
        const nlohmann::json note = made.report.at("notes")[0];
        CHECK(note.at("severity") == "error");
        CHECK(note.at("file") == "march.slang");
        CHECK(note.at("line") == 7);
    }

    TEST_CASE("other passes tell of it, and leave it as it is") {
        for (const std::string passes : {"none", "single-copy", "heap"}) {
            CAPTURE(passes);
            const ByClang made = rewritten_by(nested({}), {"--passes", passes});
            CHECK(notes_of(made, "repair-extents") ==
                  std::vector<std::string>{
                      was_wrong + "[10][5] and indexed the other way round: gradients are wrong; "
                                  "the pass repair-extents makes it [5][10]"});
            CHECK_FALSE(made.changed_by("repair-extents"));
            CHECK_FALSE(contains(made.text, "10> , 5>"));
            const ByClang right = rewritten_by(nested({}, 5, 10), {"--passes", passes});
            CHECK(notes_of(right, "repair-extents").empty());
        }
    }

    TEST_CASE("without evidence it is only told") {
        check_told(nested(unknown_trips({})), "the loops' numbers of trips are not known");
        // Both extents are other ones than the loops would have.
        check_told(nested({{outer_start, "    int _dc_0 = int(6);\n"},
                           {inner_start, "        int _dc_1 = int(2);\n"}}),
                   "the loops' numbers of trips are not known");
    }

    TEST_CASE("evidence that contradicts itself is none") {
        check_told(nested({{inner_start, "        int _dc_1 = int(8);\n"}}),
                   "the loops' numbers of trips contradict each other");
    }

    TEST_CASE("uses that are not all alike") {
        check_told(nested({{store, "            (&_S3)->value0_0[_pc_0][_pc_1] = _S4;\n"}}),
                   "its uses are not all alike");
        check_told(
            nested({{store, store + "            (&_S3)->value0_0[_pc_1][int(2)] = _S4;\n"}}),
            "its uses are not all alike");
        check_told(nested({{"    *_S7 = _S8;\n", "    FixedArray<float, COLUMNS>  _S13 = "
                                                 "_S6->value0_0[int(0)];\n    *_S7 = _S8;\n"}}),
                   "its uses are not all alike");
    }

    TEST_CASE("what it is initialized with is not understood") {
        check_told(nested({{"{ ROW }", "{ 1.0f }"}}), "its uses are not all alike");
        check_told(nested({{"    s_minCtx_nest _S3;\n    (&_S3)->value0_0 = _S2;\n",
                            "    FixedArray<float, COLUMNS>  _S13 = { 1.0f };\n    "
                            "FixedArray<FixedArray<float, COLUMNS> , ROWS>  _S14 = { _S13 };\n"
                            "    s_minCtx_nest _S3 = { _S14, int(0) };\n"}}),
                   "what it is initialized with is not understood");
    }

    TEST_CASE("zeros in the initializer") {
        check_repaired(nested({{"    s_minCtx_nest _S3;\n    (&_S3)->value0_0 = _S2;\n",
                                "    s_minCtx_nest _S3 = { _S2, int(0) };\n"}}),
                       nested({}, 5, 10));
    }

    TEST_CASE("zeros of a long loop") {
        check_repaired(nested({{"{ ALL }", "{}"}}), nested({}, 5, 10));
        check_repaired(nested({{"    s_minCtx_nest _S3;\n    (&_S3)->value0_0 = _S2;\n",
                                "    s_minCtx_nest _S3 = {};\n"}}),
                       nested({}, 5, 10));
    }

    TEST_CASE("extents that are as they should be") {
        check_silent(nested({}, 5, 10));
        check_silent(nested(unknown_trips(array_of_outer(5)), 10, 5));
        check_silent(nested({{store, "            (&_S3)->value0_0[_pc_0][_pc_1] = _S4;\n"},
                             {"_S6->value0_0[_dc_1][_dc_0]", "_S6->value0_0[_dc_0][_dc_1]"}}));
    }

    TEST_CASE("equal ones, with equal bounds or not") {
        check_silent(nested({}, 10, 10));
    }

    TEST_CASE("arrays of others than stored contexts") {
        check_silent(with_all(nested({}), "s_minCtx_nest", "Record_nest"));
    }

    TEST_CASE("three loops: the middle one shows nothing") {
        LoadedModule module = loaded_shader("tests/inputs/contexts/three_loops.slang");
        const ByClang made = repaired(module.cuda.code);
        CHECK(notes_of(made, "repair-extents") ==
              std::vector<std::string>{
                  was_wrong + "[12][9][5] and indexed the other way round: gradients were wrong; "
                              "it is [5][9][12] now, and gradients change"});
        const ByClang again = repaired(made.text);
        CHECK(again.text == made.text);
        CHECK(again.report.at("notes").empty());
    }
}
