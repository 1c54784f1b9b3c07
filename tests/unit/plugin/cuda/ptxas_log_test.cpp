#include "plugin/cuda/ptxas_log.h"

#include <doctest/doctest.h>

using namespace slimgrad;

TEST_CASE("parse_ptxas_log: kernels and their out-of-line callees") {
    auto functions = parse_ptxas_log(
        "ptxas info    : 0 bytes gmem, 80 bytes cmem[3]\n"
        "ptxas info    : Compiling entry function 'gradMain' for 'sm_89'\n"
        "ptxas info    : Function properties for gradMain\n"
        "    14336 bytes stack frame, 4092 bytes spill stores, 4088 bytes spill loads\n"
        "ptxas info    : Used 255 registers, used 0 barriers, 14336 bytes cumulative stack size\n"
        "ptxas info    : Compile time = 179.392 ms\n"
        "ptxas info    : Function properties for _Z1fPfi\n"
        "    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n"
        "ptxas info    : Compiling entry function '_Z2k2v' for 'sm_89'\n"
        "ptxas info    : Function properties for _Z2k2v\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 8 registers, 360 bytes cmem[0]"); // no newline at the end
    REQUIRE(functions.size() == 3);
    CHECK(functions[0].symbol == "gradMain");
    CHECK(functions[0].entry);
    CHECK(functions[0].kernel.empty());
    CHECK(functions[0].registers == 255);
    CHECK(functions[0].stack_bytes == 14336);
    CHECK(functions[0].spill_store_bytes == 4092);
    CHECK(functions[0].spill_load_bytes == 4088);
    CHECK(functions[1].symbol == "_Z1fPfi");
    CHECK_FALSE(functions[1].entry);
    CHECK(functions[1].kernel == "gradMain");
    CHECK(functions[1].spill_store_bytes == 8);
    CHECK(functions[2].symbol == "_Z2k2v");
    CHECK(functions[2].registers == 8);
}

TEST_CASE("parse_ptxas_log: device functions without a kernel, and text that is none") {
    auto functions =
        parse_ptxas_log("ptxas info    : Function properties for _Z3dsqff\n"
                        "    88 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n");
    REQUIRE(functions.size() == 1);
    CHECK(functions[0].stack_bytes == 88);
    CHECK(functions[0].kernel.empty());
    CHECK(parse_ptxas_log("").empty());
    CHECK(parse_ptxas_log("\n bytes stack frame\n registers\nUsed 3 registers\n").empty());
}
