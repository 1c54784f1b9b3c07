#include "plugin/cli/configuration.h"

#include "tests/unit/temporary_folder.h"

#include <doctest/doctest.h>

using slimgrad::parse_configuration;
using slimgrad::to_string;

namespace {

std::string error_of(std::string_view text) {
    const auto result = parse_configuration(text, "/p/slimgrad.toml");
    return result ? "no error" : to_string(result.error());
}

} // namespace

TEST_CASE("a configuration says what the user promises") {
    const auto read = parse_configuration("arguments = ['-Ilib', '-I', '../x', '-DN=4']\n"
                                          "arch = 'sm_90'\nfast_math = false\nnoalias = true\n"
                                          "[inputs]\n\"outb[1]\" = 12\ngIn = [-1, 1.5]\n",
                                          "/p/q/slimgrad.toml");
    REQUIRE(read);
    CHECK(read->arguments == std::vector<std::string>{"-I/p/q/lib", "-I", "/p/x", "-DN=4"});
    CHECK(read->arch == "sm_90");
    CHECK(read->fast_math == false);
    CHECK(read->promises.noalias);
    REQUIRE(read->promises.ranges.size() == 2);
    CHECK(read->promises.ranges.at("outb[1]").minimum == 12);
    CHECK(read->promises.ranges.at("outb[1]").maximum == 12);
    CHECK(read->promises.ranges.at("gIn").minimum == -1);
    CHECK(read->promises.ranges.at("gIn").maximum == 1.5);
}

TEST_CASE("an empty configuration promises nothing") {
    const auto read = parse_configuration("", "/p/slimgrad.toml");
    REQUIRE(read);
    CHECK(read->arguments.empty());
    CHECK(!read->arch);
    CHECK(!read->fast_math);
    CHECK(!read->promises.noalias);
}

TEST_CASE("what is wrong in a configuration is named with its place") {
    CHECK(error_of("\nnoalais = true\n") ==
          "/p/slimgrad.toml:2:1: unknown key 'noalais'; did you mean 'noalias'?");
    CHECK(error_of("noalias = 1\n") == "/p/slimgrad.toml:1:11: 'noalias' has to be true or false");
    CHECK(error_of("arch = 89\n") ==
          "/p/slimgrad.toml:1:8: 'arch' has to be a string such as \"sm_89\"");
    CHECK(error_of("arguments = '-I.'\n") ==
          "/p/slimgrad.toml:1:13: 'arguments' has to be an array of strings");
    CHECK(error_of("arguments = ['-target', 'cuda']\n")
              .starts_with("/p/slimgrad.toml:1:13: in 'arguments': option '-target'"));
    CHECK(error_of("arguments = ['x.slang']\n") ==
          "/p/slimgrad.toml:1:13: in 'arguments': 'x.slang' is no option of slangc");
    CHECK(error_of("[inputs]\ngIn = [1, -1]\n") ==
          "/p/slimgrad.toml:2:7: input 'gIn': 1 is larger than -1");
    CHECK(error_of("[inputs]\ngIn = [1, 2, 3]\n")
              .starts_with("/p/slimgrad.toml:2:7: input 'gIn' has to be"));
    CHECK(error_of("[inputs]\ngIn = 'x'\n")
              .starts_with("/p/slimgrad.toml:2:7: input 'gIn' has to be"));
    CHECK(error_of("[inputs]\ngIn = nan\n")
              .starts_with("/p/slimgrad.toml:2:7: input 'gIn' has to be"));
    CHECK(error_of("inputs = 3\n") ==
          "/p/slimgrad.toml:1:10: 'inputs' has to be a table: [inputs]");
    CHECK(error_of("arch = \n").starts_with("/p/slimgrad.toml:1:"));
}

TEST_CASE("a configuration that cannot be read is an error") {
    const slimgrad::TemporaryFolder folder;
    CHECK(!slimgrad::read_configuration(folder / "missing.toml"));
}

TEST_CASE("gradient pairs and thread groups") {
    const auto read = parse_configuration("groups = 2\ngradient.gW = \"gWG\"\n", "slimgrad.toml");
    REQUIRE(read);
    CHECK(read->groups == 2u);
    CHECK(read->gradients == std::map<std::string, std::string>{{"gW", "gWG"}});
    CHECK_FALSE(parse_configuration("groups = 0\n", "slimgrad.toml"));
    CHECK_FALSE(parse_configuration("gradient = \"gWG\"\n", "slimgrad.toml"));
    CHECK_FALSE(parse_configuration("gradient.gW = 3\n", "slimgrad.toml"));
}
