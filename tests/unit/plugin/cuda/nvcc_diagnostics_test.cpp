#include "plugin/cuda/nvcc_diagnostics.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;

namespace {

std::string first(std::string_view messages) {
    auto error = first_nvcc_error(messages);
    return error ? to_string(*error) : "none";
}

} // namespace

TEST_CASE("first_nvcc_error: front end, preprocessor, ptxas") {
    CHECK(
        first(
            "a b/k (1).slang(17): error: identifier \"_S32\" is undefined\n          _S32 = 1;\n\n"
            "1 error detected in the compilation of \"module.cu\".\n") ==
        "a b/k (1).slang:17: identifier \"_S32\" is undefined");
    CHECK(first("k.slang(3): warning #177-D: unused\nk.slang(4): error #20: bad\n") ==
          "k.slang:4: bad");
    CHECK(first("/usr/include/stdio.h(692): catastrophic error: out of memory\n") ==
          "/usr/include/stdio.h:692: out of memory");
    CHECK(first("k.slang:3:10: fatal error: missing.h: No such file or directory\n") ==
          "k.slang:3:10: missing.h: No such file or directory");
    CHECK(
        first("ptxas info    : 0 bytes gmem\nptxas error   : Entry function 'k' uses too much\n") ==
        "ptxas: Entry function 'k' uses too much");
    CHECK(first("1 error detected: error: none\n") == "none");
    CHECK(first("") == "none");
}

TEST_CASE("nvcc_refusal and signal_of_subprocess") {
    CHECK(nvcc_refusal("x\nnvcc fatal   : Unsupported gpu architecture 'compute_12'\n") ==
          "Unsupported gpu architecture 'compute_12'");
    CHECK_FALSE(nvcc_refusal("k.slang(4): error: nvcc fatal   : x\n"));
    CHECK(signal_of_subprocess("nvcc error   : 'cicc' died due to signal 11 (Invalid memory "
                               "reference)\n") == 11);
    CHECK_FALSE(signal_of_subprocess("nvcc error   : 'cicc' died due to signal x\n"));
}
