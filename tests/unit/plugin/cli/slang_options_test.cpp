#include "plugin/cli/slang_options.h"

#include <doctest/doctest.h>

using slimgrad::split_slang_options;
using Arguments = std::vector<std::string>;

namespace {

/// own | slang, as one line.
std::string split(const Arguments& arguments) {
    const auto result = split_slang_options(arguments);
    if (!result)
        return "error: " + result.error().message;
    std::string text;
    for (const std::string& argument : result->own)
        text += argument + ' ';
    text += '|';
    for (const std::string& argument : result->slang)
        text += ' ' + argument;
    return text;
}

} // namespace

TEST_CASE("slangc's options are split off with the values they take") {
    CHECK(split({"check", "-I", "lib", "a.slang"}) == "check a.slang | -I lib");
    CHECK(split({"check", "-Ilib", "-DN=4", "-D", "M", "a.slang"}) ==
          "check a.slang | -Ilib -DN=4 -D M");
    CHECK(split({"check", "-entry", "f", "-stage", "compute", "a.slang"}) ==
          "check a.slang | -entry f -stage compute");
    CHECK(split({"check", "-O0", "-fp-mode", "fast", "-matrix-layout-row-major", "a.slang"}) ==
          "check a.slang | -O0 -fp-mode fast -matrix-layout-row-major");
    CHECK(split({"check", "a.slang", "-Wno-30081", "-warnings-disable", "30081"}) ==
          "check a.slang | -Wno-30081 -warnings-disable 30081");
}

TEST_CASE("what follows -- is slangc's, whatever it is") {
    CHECK(split({"check", "a.slang", "--", "-target", "--diff", "x"}) ==
          "check a.slang | -target --diff x");
    CHECK(split({"check", "a.slang", "--"}) == "check a.slang |");
}

TEST_CASE("slimgrad's own options stay") {
    CHECK(split({"fix", "--diff", "-j", "4", "a.slang"}) == "fix --diff -j 4 a.slang |");
    CHECK(split({"fix", "-j4", "-h"}) == "fix -j4 -h |");
    CHECK(split({"preprocess", "a.slang", "-o", "b.slang"}) == "preprocess a.slang -o b.slang |");
    // A value that begins with a dash is no option of anyone.
    CHECK(split({"fix", "--nvcc-arg", "-lineinfo", "a.slang"}) ==
          "fix --nvcc-arg=-lineinfo a.slang |");
    CHECK(split({"fix", "--arch", "sm_80"}) == "fix --arch=sm_80 |");
}

TEST_CASE("options that are nobody's, or not slimgrad's to take, are refused by name") {
    CHECK(split({"check", "-entri", "f"}) ==
          "error: unknown option '-entri'; did you mean '-entry'?; what slangc alone knows goes "
          "behind `--`: -- -entri");
    CHECK(split({"check", "-Ofast"}).starts_with("error: unknown option '-Ofast'"));
    CHECK(split({"check", "-target", "cuda"})
              .starts_with("error: option '-target' is refused: slimgrad chooses"));
    CHECK(split({"check", "-o", "x"}).starts_with("error: option '-o' is refused"));
    CHECK(split({"check", "-entry"}) == "error: option '-entry' needs a value");
    CHECK(split({"check", "-I"}) == "error: option '-I' needs a value");
    CHECK(split({"check", "--nvcc-arg"}) == "error: option '--nvcc-arg' needs a value");
    CHECK(split({"check", "-"}).starts_with("error: standard input"));
}
