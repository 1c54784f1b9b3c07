// The program slimgrad-clang as a whole: its arguments, its report, its exit codes.

#include "generated_text.h"

#include <filesystem>

using namespace slimgrad;

namespace {

ProcessResult run(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), SLIMGRAD_BUILD_DIR "/slimgrad-clang");
    ProcessOptions options;
    options.arguments = std::move(arguments);
    options.standard_input = input;
    const Result<ProcessResult> done = run_process(options);
    REQUIRE_MESSAGE(done, done.error().message);
    return *done;
}

const std::string looped = array_prelude + march("march", 34);

} // namespace

TEST_SUITE("clang/rewrite") {
    TEST_CASE("repair-extents and single-copy, if nothing is said") {
        CHECK(rewritten_by(looped, {}).text ==
              rewritten_by(looped, {"--passes", "single-copy"}).text);
        CHECK(rewritten_by(looped, {}).text ==
              rewritten_by(looped, {"--passes", "single-copy,repair-extents"}).text);
        CHECK(rewritten_by(looped, {"--passes", "repair-extents"}).text == looped);
        CHECK(rewritten_by(looped, {"--passes", "none"}).text == looped);
    }

    TEST_CASE("the passes' order is their own") {
        const ByClang one = rewritten_by(looped, {"--passes", "single-copy,heap,repair-extents"});
        const ByClang other =
            rewritten_by(looped, {"--passes", "heap", "--passes", "repair-extents,single-copy"});
        CHECK(one.text == other.text);
        CHECK(one.report == other.report);
        CHECK(one.report.at("passes") == nlohmann::json{"heap"}); // nothing is left for single-copy
    }

    TEST_CASE("one JSON object") {
        const ByClang made = rewritten_by(looped, {});
        CHECK(made.report.size() == 5);
        CHECK(made.report.at("changed") == true);
        CHECK(made.report.at("passes") == nlohmann::json{"single-copy"});
        CHECK(made.report.at("notes").is_array());
        CHECK(made.report.at("contexts").size() == 2);
        REQUIRE(made.report.at("kernels").size() == 1);
        CHECK(made.report.at("kernels")[0].at("name") == "kernel_march");
        CHECK_FALSE(made.report.at("kernels")[0].contains("heap"));
    }

    TEST_CASE("from a file, from standard input, and only to look") {
        const TemporaryFolder folder;
        const std::string path = folder.write("in.cu", looped);
        const ProcessResult by_file = run({path, "-o", folder / "out.cu"}),
                            by_input = run({"-", "-o", folder / "other.cu"}, looped),
                            looked = run({path});
        CHECK(by_file.succeeded());
        CHECK(folder.read("out.cu") == folder.read("other.cu"));
        CHECK(by_input.out == by_file.out);
        CHECK(looked.out == by_file.out);
        CHECK(folder.read("in.cu") == looped);
    }

    TEST_CASE("macros of the command line") {
        const std::string text =
            "#ifdef LOOPED\n" + looped + "#endif\n#if WIDTH != 3\n#error \"no width\"\n#endif\n";
        CHECK(run({"-"}, text).exit_code == 3);
        CHECK_FALSE(rewritten_by(text, {"-D", "WIDTH=3"}).changed_by("single-copy"));
        CHECK(rewritten_by(text, {"-D", "WIDTH=3", "-D", "LOOPED"}).changed_by("single-copy"));
    }

    TEST_CASE("text that does not compile: 3, one line with the shader's place, nothing written") {
        const TemporaryFolder folder;
        const std::string kept = folder.write("out.cu", "as it was");
        const ProcessResult refused =
            run({"-", "-o", kept},
                looped + "\n#line 9 \"a.slang\"\n__device__ int f() { return missing; }\n");
        CHECK(refused.exit_code == 3);
        CHECK(refused.out == "");
        CHECK(refused.err.starts_with("slimgrad-clang: error: a.slang:9:"));
        CHECK(contains(refused.err, "'missing'"));
        CHECK(count_of(refused.err, "\n") == 1);
        CHECK(folder.read("out.cu") == "as it was");
        CHECK(run({"-", "-o", folder / "none.cu"}, looped.substr(0, looped.size() / 2)).exit_code ==
              3);
        CHECK_FALSE(std::filesystem::exists(folder / "none.cu"));
    }

    TEST_CASE("files that cannot be read or written: 3") {
        const TemporaryFolder folder;
        CHECK(run({folder / "missing.cu"}).exit_code == 3);
        const ProcessResult refused =
            run({"-", "-o", folder.write("file", "") + "/out.cu"}, looped);
        CHECK(refused.exit_code == 3);
        CHECK(refused.out == "");
        CHECK(refused.err.starts_with("slimgrad-clang: error: "));
    }

    TEST_CASE("wrong usage: 2") {
        for (const std::vector<std::string>& arguments :
             std::vector<std::vector<std::string>>{{},
                                                   {"-", "--passes", "heaps"},
                                                   {"-", "--passes", ""},
                                                   {"-", "--heap-layout", "block"},
                                                   {"-", "--heap-threshold", "-1"},
                                                   {"-", "--heap-threshold", "many"},
                                                   {"-", "--unknown"},
                                                   {"-", "second.cu"}}) {
            CAPTURE(arguments.empty() ? std::string() : arguments.back());
            CHECK(run(arguments, looped).exit_code == 2);
        }
        CHECK(run({"--help"}).exit_code == 0);
    }

    TEST_CASE("no header of the machine is read") {
        const TemporaryFolder folder;
        const std::string header = folder.write("own.h", "int x;\n");
        CHECK(run({"-"}, "#include <vector>\n").exit_code == 3);
        CHECK(run({"-"}, "#include \"" + header + "\"\n").exit_code == 3);
        CHECK(run({"-"}, "#include <stdio.h>\n#include <cuda_fp16.h>\n").exit_code == 0);
    }
}
