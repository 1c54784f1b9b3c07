#include "plugin/cli/module_settings.h"

#include "plugin/cli/project_root.h"
#include "tests/unit/temporary_folder.h"

#include <doctest/doctest.h>

using namespace slimgrad;

TEST_CASE("without a configuration the defaults hold") {
    const TemporaryFolder folder;
    const auto settings = module_settings({}, folder.write("a.slang", ""));
    REQUIRE(settings);
    CHECK(settings->root == canonical_path(folder.path().string()));
    CHECK(settings->configuration.empty());
    CHECK(settings->options.slang_arguments == std::vector<std::string>{"-O3"});
    CHECK(settings->options.nvcc.arch == "sm_89");
    CHECK(settings->options.nvcc.fast_math);
    CHECK(settings->options.verify.samples == 32);
    CHECK(settings->options.verify.seed == 1);
}

TEST_CASE("the command line goes over slimgrad.toml") {
    const TemporaryFolder folder;
    folder.write("slimgrad.toml", "arguments = ['-DN=4']\narch = 'sm_80'\nfast_math = "
                                  "false\nnoalias = true\n[inputs]\ngIn = [0, 2]\n");
    const std::string file = folder.write("a/b.slang", "");
    CommandLine line;
    auto settings = module_settings(line, file);
    REQUIRE(settings);
    CHECK(settings->configuration == canonical_path(folder / "slimgrad.toml"));
    CHECK(settings->options.nvcc.arch == "sm_80");
    CHECK(!settings->options.nvcc.fast_math);
    CHECK(settings->options.promises.noalias);
    CHECK(settings->options.verify.ranges.at("gIn").maximum == 2);

    line.slang_arguments = {"-DN=5", "-O1"};
    line.arch = "sm_90";
    line.fast_math = true;
    line.timeout_seconds = 1.5;
    line.memory_mib = 256;
    settings = module_settings(line, file);
    REQUIRE(settings);
    CHECK(settings->options.slang_arguments == std::vector<std::string>{"-DN=4", "-DN=5", "-O1"});
    CHECK(settings->options.nvcc.arch == "sm_90");
    CHECK(settings->options.nvcc.fast_math);
    CHECK(settings->options.nvcc.limits.wall_clock == std::chrono::milliseconds(1500));
    CHECK(settings->options.verify.limits.memory_bytes == 256u << 20);
    CHECK(compiler_options(line).limits.wall_clock == std::chrono::milliseconds(1500));
    const MeasuredWith with = measured_with(*settings);
    CHECK(with.arch == "sm_90");
    CHECK(with.fast_math);
}

TEST_CASE("--time-limit is the search's, --timeout one compiler's") {
    const TemporaryFolder folder;
    const std::string file = folder.write("a.slang", "");
    CommandLine line;
    CHECK(module_settings(line, file)->options.time_limit == std::chrono::seconds(60));
    line.time_limit_seconds = 0.25;
    line.timeout_seconds = 9;
    const auto settings = module_settings(line, file);
    REQUIRE(settings);
    CHECK(settings->options.time_limit == std::chrono::milliseconds(250));
    CHECK(settings->options.nvcc.limits.wall_clock == std::chrono::seconds(9));
    line.time_limit_seconds = 1e300; // for ever
    CHECK(module_settings(line, file)->options.time_limit > std::chrono::hours(24 * 365));
}

TEST_CASE("--config names the configuration, wherever the shader lies") {
    const TemporaryFolder folder;
    const std::string file = folder.write("p/a.slang", "");
    CommandLine line;
    line.configuration = folder.write("q/other.toml", "arch = 'sm_75'\n");
    const auto settings = module_settings(line, file);
    REQUIRE(settings);
    CHECK(settings->options.nvcc.arch == "sm_75");
    line.configuration = folder / "missing.toml";
    CHECK(!module_settings(line, file));
}
