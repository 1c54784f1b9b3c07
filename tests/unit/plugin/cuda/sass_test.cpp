#include "plugin/cuda/sass.h"

#include <doctest/doctest.h>

using namespace slimgrad;

TEST_CASE("read_sass: predicates, operations, operands, lines and labels, by function") {
    const auto sections = read_sass("\t.section\t.text.gradMain,\"ax\",@progbits\n"
                                    "\t.sectioninfo\t@\"SHI_REGISTERS=142\"\n"
                                    "gradMain:\n"
                                    ".text.gradMain:\n"
                                    "        /*0000*/                   STL.128 [R1+0x10], R4 ;\n"
                                    "\t//## File \"/a b/\"x\".slang\", line 33\n"
                                    "        /*0010*/              @!P0 STL [R1], RZ ;\n"
                                    ".L_x_1:\n"
                                    "        /*0020*/               @P1 BRA `(.L_x_1) ;\n"
                                    "        /*0030*/                   EXIT ;\n"
                                    "\t.section\t.nv.info,\"\",@\"SHT_CUDA_INFO\"\n"
                                    "        /*0000*/                   .byte 0x04 ;\n"
                                    "\t.section\t.text._Z2k2v,\"ax\",@progbits\n"
                                    "        /*0000*/                   LDL R2, [R1] ;\n");
    REQUIRE(sections.size() == 2);
    const SassCode& code = sections.at("gradMain");
    REQUIRE(code.instructions.size() == 4);
    CHECK(code.instructions[0].operation == "STL.128");
    CHECK(code.instructions[0].name() == "STL");
    CHECK(code.instructions[0].line.line == 0);
    CHECK(code.instructions[1].predicate == "!P0");
    CHECK(code.instructions[1].operands == "[R1], RZ");
    CHECK(code.instructions[1].line.file == "/a b/\"x\".slang");
    CHECK(code.instructions[1].line.line == 33);
    CHECK(code.instructions[3].operation == "EXIT");
    CHECK(code.instructions[3].operands.empty());
    CHECK(code.labels.at(".L_x_1") == 2);
    CHECK(code.labels.at("gradMain") == 0);
    CHECK(sections.at("_Z2k2v").instructions.size() == 1);
    CHECK(sections.at("_Z2k2v").instructions[0].line.line == 0);
}

TEST_CASE("read_sass: text that is no disassembly") {
    CHECK(read_sass("").empty());
    CHECK(read_sass("/*0000*/ STL [R1], R2 ;\n").empty());
    const auto sections =
        read_sass(".section\t.text.f,\n/*\n/**/\n@\n//## File \"a\n//## File \"a\", line x\n:\n");
    CHECK(sections.at("f").instructions.empty());
}
