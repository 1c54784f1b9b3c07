#include "plugin/cli/command_line.h"

#include <doctest/doctest.h>

using slimgrad::ColorChoice;
using slimgrad::Command;
using slimgrad::CommandLine;
using slimgrad::HelpText;
using slimgrad::OutputFormat;
using slimgrad::parse_command_line;
using Arguments = std::vector<std::string>;

namespace {

CommandLine parsed(const Arguments& arguments) {
    const auto result = parse_command_line(arguments);
    REQUIRE_MESSAGE(result, result.error().message);
    REQUIRE(std::holds_alternative<CommandLine>(*result));
    return std::get<CommandLine>(*result);
}

std::string error_of(const Arguments& arguments) {
    const auto result = parse_command_line(arguments);
    return result ? "no error" : result.error().message;
}

std::string help_of(const Arguments& arguments) {
    const auto result = parse_command_line(arguments);
    REQUIRE(result);
    REQUIRE(std::holds_alternative<HelpText>(*result));
    return std::get<HelpText>(*result).text;
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("fix takes its options, and slangc's pass by") {
    const CommandLine line = parsed({"fix",
                                     "--diff",
                                     "-I",
                                     "lib",
                                     "a.slang",
                                     "--minor",
                                     "b.slang",
                                     "--arch",
                                     "sm_90a",
                                     "--no-fast-math",
                                     "--nvcc-arg",
                                     "-lineinfo",
                                     "--nvcc-arg=-G",
                                     "-j",
                                     "3",
                                     "--color",
                                     "never",
                                     "--timeout",
                                     "2.5",
                                     "--memory",
                                     "512",
                                     "--samples",
                                     "8",
                                     "--seed",
                                     "7",
                                     "--",
                                     "-ignore-capabilities"});
    CHECK(line.command == Command::fix);
    CHECK(line.paths == Arguments{"a.slang", "b.slang"});
    CHECK(line.slang_arguments == Arguments{"-I", "lib", "-ignore-capabilities"});
    CHECK(line.diff);
    CHECK(line.minor_fixes);
    CHECK(!line.unsafe_fixes);
    CHECK(line.arch == "sm_90a");
    CHECK(line.fast_math == false);
    CHECK(line.nvcc_arguments == Arguments{"-lineinfo", "-G"});
    CHECK(line.jobs == 3);
    CHECK(line.color == ColorChoice::never);
    CHECK(line.timeout_seconds == 2.5);
    CHECK(line.memory_mib == 512);
    CHECK(line.samples == 8);
    CHECK(line.seed == 7);
}

TEST_CASE("what is not given stays with the configuration and the defaults") {
    const CommandLine line = parsed({"check", "a.slang"});
    CHECK(!line.arch);
    CHECK(!line.fast_math);
    CHECK(!line.configuration);
    CHECK(line.format == OutputFormat::text);
    CHECK(line.color == ColorChoice::automatic);
}

TEST_CASE("the other commands") {
    CHECK(parsed({"report", "a.slang", "--output-format", "json"}).format == OutputFormat::json);
    const CommandLine verify = parsed({"verify", "a.slang", "b.slang", "--sample", "5"});
    CHECK(verify.paths == Arguments{"a.slang", "b.slang"});
    CHECK(verify.sample == 5);
    const CommandLine alone = parsed(
        {"verify", "a.slang", "--tolerance", "1e-4", "--sanitize", "--gpu", "--arch", "sm_90"});
    CHECK(alone.paths == Arguments{"a.slang"});
    CHECK(alone.tolerance == 1e-4);
    CHECK(alone.sanitize);
    CHECK(alone.gpu);
    CHECK(alone.arch == "sm_90");
    CHECK(parsed({"explain"}).rule.empty());
    CHECK(parsed({"explain", "loop-bound"}).rule == "loop-bound");
    const CommandLine step = parsed({"preprocess", "a.slang", "-o", "b.slang", "--depfile", "d"});
    CHECK(step.output == "b.slang");
    CHECK(step.depfile == "d");
}

TEST_CASE("contradictions and mistakes are refused by name") {
    CHECK(contains(error_of({"fix", "a", "--exit-zero", "--exit-non-zero-on-fix"}), "--exit-zero"));
    CHECK(contains(error_of({"fix", "a", "--diff", "--exit-non-zero-on-fix"}),
                   "--exit-non-zero-on-fix"));
    CHECK(contains(error_of({"fix", "a", "--diff", "--output-format", "json"}),
                   "--output-format json"));
    CHECK(contains(error_of({"check", "a", "--fast-math", "--no-fast-math"}), "--fast-math"));
    CHECK(contains(error_of({"check", "a", "--diff"}), "--diff"));
    CHECK(contains(error_of({"check", "a", "--arch", "gtx"}), "'gtx' is no GPU architecture"));
    CHECK(contains(error_of({"check", "a", "--output-format", "xml"}), "xml"));
    CHECK(parsed({"fix", "a", "--diff", "--output-format", "html"}).format == OutputFormat::html);
    CHECK(contains(error_of({"verify", "a", "--output-format", "html"}), "html"));
    CHECK(contains(error_of({"report", "a", "--model", "--output-format", "html"}), "--model"));
    CHECK(contains(error_of({"check", "a", "-j", "0"}), "-j"));
    CHECK(contains(error_of({"check", "a", "--timeout", "-1"}), "--timeout"));
    CHECK(error_of({"check"}) != "no error");
    CHECK(error_of({}) != "no error");
    CHECK(error_of({"verify"}) != "no error");
    CHECK(error_of({"verify", "a.slang", "b.slang", "c.slang"}) != "no error");
    CHECK(contains(error_of({"verify", "a.slang", "--tolerance", "2"}), "--tolerance"));
    CHECK(contains(error_of({"check", "a.slang", "--sanitize"}), "--sanitize"));
    CHECK(error_of({"preprocess", "a.slang"}) != "no error");
    CHECK(error_of({"chekc", "a.slang"}) != "no error");
}

TEST_CASE("odd values of tune's options are refused in one line") {
    const auto refused = [](const Arguments& option) {
        Arguments arguments{"tune", "a.slang"};
        arguments.insert(arguments.end(), option.begin(), option.end());
        const std::string error = error_of(arguments);
        CAPTURE(error);
        CHECK(error.find('\n') == std::string::npos);
        return contains(error, option[0].substr(0, option[0].find('=')).c_str());
    };
    CHECK(refused({"--budget", ""}));
    CHECK(refused({"--budget="}));
    CHECK(refused({"--budget", "regs"}));
    CHECK(refused({"--objective", ""}));
    CHECK(refused({"--objective="}));
    for (const char* seconds : {"-1", "0", "", "abc", "nan"}) {
        CAPTURE(std::string(seconds));
        CHECK(refused({"--time-limit", seconds}));
        CHECK(refused({std::string("--time-limit=") + seconds}));
    }
    CHECK(refused({"--save-trials", ""}));
}

TEST_CASE("help and version are texts") {
    CHECK(help_of({"--version"}).starts_with("slimgrad "));
    CHECK(contains(help_of({"--help"}), "preprocess"));
    CHECK(contains(help_of({"fix", "--help"}), "--unsafe-fixes"));
    CHECK(!contains(help_of({"explain", "-h"}), "--unsafe-fixes"));
}

TEST_CASE("cuda takes its passes, -D as nvcc, and -o") {
    const CommandLine line =
        parsed({"cuda", "in.cu", "-o", "out.cu", "--passes", "single-copy,heap", "--heap-threshold",
                "128", "--heap-layout", "grid", "-DN=4"});
    CHECK(line.command == Command::cuda);
    CHECK(line.paths == Arguments{"in.cu"});
    CHECK(line.output == "out.cu");
    CHECK(line.passes == Arguments{"single-copy", "heap"});
    CHECK(line.heap_threshold == 128);
    CHECK(line.heap_layout == "grid");
    CHECK(line.slang_arguments == Arguments{"-DN=4"});
    CHECK_FALSE(line.measure);
    CHECK(parsed({"cuda", "-"}).paths == Arguments{"-"});
    CHECK(parsed({"cuda", "in.cu"}).passes == Arguments{"single-copy", "repair-extents"});
    CHECK(parsed({"cuda", "in.cu", "--passes", "none"}).passes.empty());
    CHECK(parsed({"cuda", "in.cu", "--measure", "--arch", "sm_90"}).arch == "sm_90");
    CHECK(contains(error_of({"cuda", "in.cu", "--passes", "none,heap"}), "none excludes"));
    CHECK(contains(error_of({"cuda", "in.cu", "--passes", "heep"}), "heep"));
    CHECK(contains(error_of({"cuda", "in.cu", "--heap-layout", "wrap"}), "wrap"));
    CHECK(contains(error_of({"cuda", "in.cu", "--arch", "sm_90"}), "--measure"));
    CHECK(contains(error_of({"check", "-"}), "standard input"));
}

TEST_CASE("report --model measures nothing, and takes no option of measuring") {
    CHECK(parsed({"report", "--model", "a.slang"}).model);
    CHECK_FALSE(parsed({"report", "a.slang"}).model);
    for (const char* option : {"--arch=sm_90", "--fast-math", "--no-fast-math", "--nvcc-arg=-G"}) {
        const std::string error = error_of({"report", "--model", option, "a.slang"});
        CHECK(contains(error, "--model"));
        CHECK(
            contains(error, std::string(option).substr(0, std::string(option).find('=')).c_str()));
    }
}
