#include "plugin/verify/branch_text.h"

#include <doctest/doctest.h>

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

std::string listing(const BranchText& text) {
    std::string result;
    for (const EmittedBranch& branch : text.branches)
        result += to_string(branch.place) + " " + branch.condition + "\n";
    return result;
}

} // namespace

TEST_CASE("instrument_branches: conditions of the shader, without the compiler's suffixes") {
    const BranchText text = instrument_branches("if(prelude)\n"
                                                "#line 9 \"k.slang\"\n"
                                                "float f_0(float v_0)\n"
                                                "{\n"
                                                "    if(v_2 > t_0)\n"
                                                "    {\n"
                                                "    }\n"
                                                "\n"
                                                "#line 4\n"
                                                "    // if(c)\n"
                                                "    if((gIn_0)[slimgrad_at(12, i_1)] < 0.0f)\n");
    CHECK(listing(text) == "k.slang:11 v > t\nk.slang:5 (gIn)[i)] < 0.0f\n");
    CHECK(text.code.find("if(prelude)") != std::string::npos);
    CHECK(text.code.find("if(slimgrad_branch(0, v_2 > t_0))") != std::string::npos);
    CHECK(text.code.find("unsigned char slimgrad_ways[5]") != std::string::npos);
    CHECK(text.code.find("slimgrad_way_count = 4;") != std::string::npos);
}

TEST_CASE("instrument_branches: flags of the compiler are no branches of the shader") {
    const BranchText text = instrument_branches("\n#line 1 \"k.slang\"\n"
                                                "    int32_t _S7;\n"
                                                "    bool _S10;\n"
                                                "    int32_t _S8 = n_0 + int(1);\n"
                                                "if(_runFlag_0)\n"
                                                "if(_bflag_0)\n"
                                                "if(!_bflag_1)\n"
                                                "if(_S6)\n"
                                                "if(_S7 != int(2))\n"
                                                "if(!(_S7 != int(1)))\n"
                                                "if(_dc_0 >= int(0))\n"
                                                "if(_S8 == int(2))\n"
                                                "if(_S10)\n");
    CHECK(listing(text) == "k.slang:11 _S == int(2)\nk.slang:12 _S\n");
}

TEST_CASE("instrument_branches: a flag may have the name of a variable") {
    const BranchText text = instrument_branches("\n#line 1 \"k.slang\"\n"
                                                "    int32_t i_1;\n"
                                                "    int32_t k_0 = n_0;\n"
                                                "if(i_1 != int(1))\n"
                                                "if(i_1 == int(1))\n"
                                                "if(k_0 != int(1))\n");
    REQUIRE(text.branches.size() == 3);
    CHECK(text.branches[0].doubtful);
    CHECK_FALSE(text.branches[1].doubtful);
    CHECK_FALSE(text.branches[2].doubtful);
}

TEST_CASE("instrument_branches: labels of a switch") {
    const BranchText text = instrument_branches("\n#line 21 \"k.slang\"\n"
                                                "switch(n_0)\n"
                                                "{\n"
                                                "default:\n"
                                                "    {\n"
                                                "case int(1):\n"
                                                "case int(2):\n");
    CHECK(listing(text) == "k.slang:21 default\nk.slang:21 case int(1)\nk.slang:21 case int(2)\n");
    CHECK(text.code.find("case int(2): slimgrad_branch(2, true);") != std::string::npos);
    CHECK(text.branches[2].taken == text.branches[2].not_taken);
}

TEST_CASE("instrument_branches: functions that do not run") {
    const BranchText text = instrument_branches("\n#line 1 \"k.slang\"\n"
                                                "static float f_0(float v_0) {\n"
                                                "if(v_0 > 0.0f)\n"
                                                "}\n"
                                                "static float f_1(float v_1) {\n"
                                                "if(v_1 > 0.0f)\n"
                                                "}\n",
                                                {"f_0"});
    REQUIRE(text.branches.size() == 2);
    CHECK_FALSE(text.branches[0].reachable);
    CHECK(text.branches[1].reachable);
}

TEST_CASE("instrument_branches: selections, a pair of ways for each component") {
    const BranchText text = instrument_branches(
        "\n#line 1 \"k.slang\"\n"
        "static float f_0(float v_0) {\n"
        "float a_0 = _slang_select(v_0 < 0.0f, 1.0f,_slang_select(_S1, 0.0f,-1.0f));\n"
        "b_0 = _slang_select(Vector<bool, 3> {x_0, y_0, true}, c_0,d_0);\n"
        "}\n");
    REQUIRE(text.branches.size() == 12);
    CHECK(text.branches[0].kind == EmittedBranch::Kind::selection);
    CHECK(text.branches[0].condition == "v < 0.0f.x");
    CHECK(text.branches[5].condition == "_S.y");
    CHECK(text.branches[11].place.line == 3);
    CHECK(text.code.find("_slang_select(slimgrad_select(0, v_0 < 0.0f), 1.0f,"
                         "_slang_select(slimgrad_select(8, _S1), 0.0f,-1.0f))") !=
          std::string::npos);
    CHECK(text.code.find(
              "_slang_select(slimgrad_select(16, Vector<bool, 3> {x_0, y_0, true}), c_0") !=
          std::string::npos);
}

TEST_CASE("instrument_branches: what a builtin function compares counts for the shader's call") {
    const BranchText text =
        instrument_branches("\n#line 9 \"hlsl.meta.slang\"\n"
                            "static float clamp_0(float x_0, float a_0, float b_0)\n{\n"
                            "return (F32_min(((F32_max((x_0), (a_0)))), (b_0)));\n}\n"
                            "static void _d_max_0(DiffPair_float_0 * dpx_0, DiffPair_float_0 * "
                            "dpy_0, float dOut_0)\n{\n}\n"
                            "static float s_apply_length_0(float x_1)\n{\nreturn x_1;\n}\n"
                            "#line 3 \"k.slang\"\n"
                            "static float f_0(float v_0)\n{\n"
                            "s_bwdProp_max_0(&_S1, &_S2, d_0);\n"
                            "return (slimgrad_from(7), clamp_0)(v_0, s_apply_length_0(v_0), "
                            "(I32_max((i_0), (int(3)))));\n}\n");
    using Kind = EmittedBranch::Kind;
    REQUIRE(text.branches.size() == 4);
    CHECK(text.branches[0].kind == Kind::maximum);
    CHECK(text.branches[0].place.line == 5);
    CHECK(text.branches[1].kind == Kind::maximum);
    CHECK(text.branches[2].kind == Kind::minimum);
    CHECK(text.branches[2].taken == 6);
    CHECK(text.branches[3].kind == Kind::maximum);
    CHECK(text.code.find("slimgrad_within(0, s_bwdProp_max_0)(&_S1") != std::string::npos);
    CHECK(text.code.find(
              "(slimgrad_from(7), slimgrad_within(4, clamp_0))(v_0, s_apply_length_0(v_0), "
              "(slimgrad_ordered{8, [](auto... a) { return I32_max(a...); }}((i_0)") !=
          std::string::npos);
    CHECK(text.code.find(
              "slimgrad_ordered{slimgrad_way(2), [](auto... a) { return F32_min(a...); }}(((") !=
          std::string::npos);
    CHECK(text.code.find(
              "slimgrad_order(slimgrad_way(0), slimgrad_primal(dpx_0), slimgrad_primal(dpy_0));") !=
          std::string::npos);
}
