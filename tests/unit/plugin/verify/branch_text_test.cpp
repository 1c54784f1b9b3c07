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
