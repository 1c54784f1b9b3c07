#include "plugin/cuda/sass.h"

#include <doctest/doctest.h>

using namespace slimgrad;

TEST_CASE("count_local_accesses: by function, with predicates and widths") {
    auto counts =
        count_local_accesses("\t.section\t.text.gradMain,\"ax\",@progbits\n"
                             "gradMain:\n"
                             "        /*0000*/                   STL.128 [R1+0x10], R4 ;\n"
                             "        /*0010*/              @!P0 STL [R1], RZ ;\n"
                             "        /*0020*/               @P1 LDL.LU R2, [R1] ;\n"
                             "        /*0030*/                   LDG.E R0, [R2.64] ;\n"
                             "        /*0040*/                   CALL.REL.NOINC `(STL_helper) ;\n"
                             "\t.section\t.text._Z2k2v,\"ax\",@progbits\n"
                             "        /*0000*/                   LDL R2, [R1] ;\n");
    REQUIRE(counts.size() == 2);
    CHECK(counts["gradMain"].loads == 1);
    CHECK(counts["gradMain"].stores == 2);
    CHECK(counts["_Z2k2v"].loads == 1);
    CHECK(counts["_Z2k2v"].stores == 0);
}

TEST_CASE("count_local_accesses: text that is no disassembly") {
    CHECK(count_local_accesses("").empty());
    CHECK(count_local_accesses("/*0000*/ STL [R1], R2 ;\n").empty());
    auto counts = count_local_accesses(".section\t.text.f,\n/*\n/**/\n@\n");
    CHECK(counts["f"].loads + counts["f"].stores == 0);
}
