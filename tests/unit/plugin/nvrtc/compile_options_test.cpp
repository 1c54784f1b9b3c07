#include "plugin/nvrtc/compile_options.h"

#include <doctest/doctest.h>

using namespace slimgrad;
using Words = std::vector<std::string>;

TEST_CASE("nvrtc options: macros in every spelling, in order") {
    const Result<Words> found = nvrtc::defines(
        {"-DA", "-D", "B=2", "--define-macro=C=x=y", "--define-macro", "D", "-arch=compute_89"});
    REQUIRE(found);
    CHECK(*found == Words{"A", "B=2", "C=x=y", "D"});
}

TEST_CASE("nvrtc options: the value of another option is no option") {
    const Result<Words> found = nvrtc::defines({"-I", "-DNOT", "--include-path", "-UNOT", "-IDIR",
                                                "--include-path=-DNOT", "--device-debug", "-DYES"});
    REQUIRE(found);
    CHECK(*found == Words{"YES"});
}

TEST_CASE("nvrtc options: what the rewriter cannot see is refused") {
    for (const char* option : {"-UA", "--undefine-macro=A", "-include=a.h", "--pre-include=a.h"}) {
        CAPTURE(option);
        CHECK_FALSE(nvrtc::defines({"-DA", option}));
    }
    CHECK_FALSE(nvrtc::defines({"--pre-include", "a.h"}));
    const Result<Words> cut = nvrtc::defines({"-D"});
    REQUIRE_FALSE(cut);
    CHECK(cut.error().message == "-D has no value");
}

TEST_CASE("nvrtc options: none") {
    const Result<Words> found = nvrtc::defines({});
    REQUIRE(found);
    CHECK(found->empty());
}
