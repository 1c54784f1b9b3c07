#include "plugin/cuda/sass_cost.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;

namespace {

SassCost cost(const std::string& text, const std::vector<LoopTrips>& trips = {}) {
    const std::string disassembly = "\t.section\t.text.f,\"ax\",@progbits\n" + text;
    return estimate_cost(read_sass(disassembly).at("f"), trips);
}

/// A loop of four instructions after one, counting in R4 by `step` up to `end`.
std::string counted(const std::string& start, const std::string& step, const std::string& end,
                    int line = 5) {
    return "/*0000*/ MOV R4, " + start + " ;\n.L_x_0:\n//## File \"a.slang\", line " +
           std::to_string(line) + "\n" + "/*0010*/ IADD3 R4, R4, " + step +
           ", RZ ;\n"
           "/*0020*/ FADD R5, R5, 1 ;\n"
           "/*0030*/ ISETP.NE.AND P0, PT, R4.reuse, " +
           end +
           ", PT ;\n"
           "/*0040*/ @P0 BRA `(.L_x_0) ;\n"
           "/*0050*/ EXIT ;\n";
}

const std::string padding = ".L_x_9:\n/*0060*/ BRA `(.L_x_9);\n/*0070*/ NOP ;\n/*0080*/ NOP ;\n";

} // namespace

TEST_CASE("estimate_cost: kinds of instructions, widths of accesses, padding") {
    const SassCost all = cost("/*0000*/ LDL.64 R2, [R1] ;\n"
                              "/*0010*/ @P0 STL.128 [R1], R4 ;\n"
                              "/*0020*/ LDG.E.CONSTANT R0, [R2.64] ;\n"
                              "/*0030*/ STG.E.U8 [R2.64], R0 ;\n"
                              "/*0040*/ RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2.64], R0 ;\n"
                              "/*0050*/ LDS R0, [R2] ;\n"
                              "/*0060*/ LDC R0, c[0x0][R2] ;\n"
                              "/*0070*/ @P0 EXIT ;\n"
                              "/*0080*/ EXIT ;\n" +
                              padding);
    CHECK(all.instructions == 9);
    CHECK(all.local_loads == 1);
    CHECK(all.local_stores == 1);
    CHECK(all.global_loads == 1);
    CHECK(all.global_stores == 1);
    CHECK(all.atomics == 1);
    CHECK(all.shared_accesses == 1);
    CHECK(all.loops == 0);
    CHECK(all.executed == 9);
    CHECK(all.slots == 8 + 16 + 4 + 4 + 4 + 4 + 3);
}

TEST_CASE("estimate_cost: a loop that counts between constants") {
    CHECK(cost(counted("RZ", "0x1", "0x40")).executed == 1 + 64 * 4 + 1);
    CHECK(cost(counted("RZ", "0x2", "0x40")).executed == 1 + 32 * 4 + 1); // unrolled
    CHECK(cost(counted("0x40", "-0x1", "-0x1")).executed == 1 + 65 * 4 + 1);
    CHECK(cost(counted("0x40", "0xffffffff", "RZ")).executed == 1 + 64 * 4 + 1);
    CHECK(cost(counted("RZ", "0x1", "0x40") + padding).loops == 1);
    CHECK(cost(counted("RZ", "0x1", "0x40")).unknown_loops == 0);
    SUBCASE("what is no such count is unknown") {
        for (const std::string& text :
             {counted("R7", "0x1", "0x40"), counted("RZ", "R8", "0x40"), counted("RZ", "0x1", "R8"),
              counted("0x40", "0x1", "RZ"), counted("RZ", "0x3", "0x40")}) {
            CAPTURE(text);
            CHECK(cost(text).unknown_loops == 1);
            CHECK(cost(text).executed == 1 + 4 + 1);
        }
    }
    SUBCASE("a second write to the counter, also as half of a pair") {
        for (const std::string write : {"MOV R4, R9", "LDG.E.64 R4, [R2.64]", "CS2R R4, SRZ",
                                        "IMAD.WIDE R4, R2, R3, c[0x3][0x0]"}) {
            CAPTURE(write);
            std::string text = counted("RZ", "0x1", "0x40");
            text.insert(text.find("/*0030*/"), "/*0028*/ " + write + " ;\n");
            CHECK(cost(text).unknown_loops == 1);
        }
        std::string text = counted("RZ", "0x1", "0x40");
        text.insert(text.find("/*0030*/"), "/*0028*/ LDG.E.64 R2, [R4.64] ;\n");
        CHECK(cost(text).unknown_loops == 0);
    }
    SUBCASE("constants in other forms") {
        std::string text = counted("RZ", "0x1", "0x40");
        const auto start_with = [&](const std::string& start) {
            return start + text.substr(text.find(".L_x_0:"));
        };
        CHECK(cost(start_with("/*0000*/ CS2R R4, SRZ ;\n")).executed == 1 + 64 * 4 + 1);
        CHECK(cost(start_with("/*0000*/ IMAD.MOV.U32 R4, RZ, RZ, 0x20 ;\n")).executed ==
              1 + 32 * 4 + 1);
        // 0x20, as a half of that bit pattern
        CHECK(cost(start_with("/*0000*/ HFMA2.MMA R4, -RZ, RZ, 0, 1.9073486328125e-06 ;\n"))
                  .executed == 1 + 32 * 4 + 1);
    }
}

TEST_CASE("estimate_cost: trips of the source loop that the branch back stands in") {
    const std::string unknown = counted("R7", "0x1", "R8");
    CHECK(cost(unknown, {{"a.slang", 3, 7, 10}}).executed == 1 + 10 * 4 + 1);
    CHECK(cost(unknown, {{"b.slang", 3, 7, 10}}).unknown_loops == 1);
    CHECK(cost(unknown, {{"a.slang", 6, 7, 10}}).unknown_loops == 1);
    // The innermost one, though nothing is known of it.
    CHECK(cost(unknown, {{"a.slang", 1, 9, 10}, {"a.slang", 4, 6, 0}}).unknown_loops == 1);
    // Unrolled by four, by the compiler or not.
    const std::string four = counted("R7", "0x4", "R8");
    CHECK(cost(four, {{"a.slang", 3, 7, 10}}).executed == 1 + 3 * 4 + 1);
    CHECK(cost(four, {{"a.slang", 3, 7, 10, 4}}).executed == 1 + 10 * 4 + 1);
    // A proved bound below the one that the code counts to.
    CHECK(cost(counted("RZ", "0x1", "0x40"), {{"a.slang", 3, 7, 10}}).executed == 1 + 10 * 4 + 1);
}

TEST_CASE("estimate_cost: nested loops multiply, one source loop counts once") {
    const std::string nest = "/*0000*/ NOP ;\n"
                             ".L_x_0:\n"
                             "/*0010*/ FADD R5, R5, 1 ;\n"
                             ".L_x_1:\n"
                             "//## File \"a.slang\", line 5\n"
                             "/*0020*/ FADD R6, R6, 1 ;\n"
                             "/*0030*/ @P0 BRA `(.L_x_1) ;\n"
                             "//## File \"a.slang\", line 9\n"
                             "/*0040*/ @P1 BRA `(.L_x_0) ;\n"
                             "/*0050*/ EXIT ;\n";
    CHECK(cost(nest, {{"a.slang", 4, 6, 10}, {"a.slang", 3, 9, 7}}).executed ==
          1 + 7 * (2 + 10 * 2) + 1);
    const SassCost once = cost(nest, {{"a.slang", 3, 9, 7}});
    CHECK(once.unknown_loops == 1);
    CHECK(once.executed == 1 + 2 + 7 * 2 + 1);
}

TEST_CASE("estimate_cost: a branch back from code that was moved away is no loop") {
    const SassCost moved = cost("/*0000*/ @P0 BRA `(.L_x_1) ;\n"
                                ".L_x_0:\n"
                                "/*0010*/ FADD R5, R5, 1 ;\n"
                                "/*0020*/ EXIT ;\n"
                                ".L_x_1:\n"
                                "/*0030*/ FADD R6, R6, 1 ;\n"
                                "/*0040*/ BRA `(.L_x_0) ;\n");
    CHECK(moved.loops == 0);
    CHECK(moved.executed == 5);
}

TEST_CASE("estimate_cost: a called function runs as often as it is called, a label is a branch") {
    const std::string helper = ".type $__internal_0_$div,@function\n"
                               "$__internal_0_$div:\n"
                               "/*0060*/ MUFU.RCP R5, R5 ;\n"
                               "/*0070*/ RET.REL.NODEC R2 `(f) ;\n";
    std::string text = counted("RZ", "0x1", "0x8") + helper;
    text.insert(text.find("/*0030*/"), "/*0028*/ CALL.REL.NOINC `($__internal_0_$div) ;\n");
    CHECK(cost(text).instructions == 9);
    CHECK(cost(text).executed == 1 + 8 * (5 + 2) + 1);
    // How ptxas leaves some loops.
    const SassCost left = cost(".L_x_0:\n"
                               "/*0000*/ @P0 CALL.REL.NOINC `(.L_x_1) ;\n"
                               "//## File \"a.slang\", line 5\n"
                               "/*0010*/ BRA `(.L_x_0) ;\n"
                               ".L_x_1:\n"
                               "/*0020*/ EXIT ;\n",
                               {{"a.slang", 5, 5, 10}});
    CHECK(left.loops == 1);
    CHECK(left.executed == 10 * 2 + 1);
}

TEST_CASE("estimate_cost: a jump table, and text that is no code") {
    const SassCost table = cost("/*0000*/ BRX R2 -0x20 (*\"BRANCH_TARGETS .L_x_1,.L_x_2\"*) ;\n"
                                ".L_x_1:\n"
                                "/*0010*/ EXIT ;\n"
                                ".L_x_2:\n"
                                "/*0020*/ EXIT ;\n");
    CHECK(table.instructions == 3);
    CHECK(cost("").instructions == 0);
    CHECK(cost("/*0000*/ BRA `(.L_x_7) ;\n.L_x_7:\n").instructions == 1);
    CHECK(cost(".L_x_7:\n/*0000*/ BRA `( ;\n").instructions == 1);
}
