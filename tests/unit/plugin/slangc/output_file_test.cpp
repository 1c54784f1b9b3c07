#include "plugin/slangc/output_file.h"

#include "temporary_folder.h"

#include <chrono>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>

using slimgrad::TemporaryFolder;
using slimgrad::slangc::OutputFile;
namespace fs = std::filesystem;

TEST_CASE("a file that ends as it began keeps its time, any other gets a new one") {
    const TemporaryFolder folder;
    const std::string path = folder.write("x.cu", "rewritten");
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
    fs::last_write_time(path, old);
    const OutputFile output(path);
    folder.write("x.cu", "generated");
    REQUIRE(output.replace("generated", "rewritten"));
    CHECK(folder.read("x.cu") == "rewritten");
    CHECK(fs::last_write_time(path) == old);

    folder.write("x.cu", "generated");
    REQUIRE(output.replace("generated", "rewritten otherwise"));
    CHECK(folder.read("x.cu") == "rewritten otherwise");
    CHECK(fs::last_write_time(path) > old);

    fs::last_write_time(path, old);
    output.touch();
    CHECK(folder.read("x.cu") == "rewritten otherwise");
    CHECK(fs::last_write_time(path) > old);
}

TEST_CASE("a file that is not what slangc wrote any more is left alone") {
    const TemporaryFolder folder;
    const OutputFile output(folder / "x.cu");
    CHECK_FALSE(output.is_there());
    folder.write("x.cu", "of somebody else");
    CHECK(output.is_there());
    CHECK_FALSE(output.replace("generated", "rewritten"));
    CHECK(folder.read("x.cu") == "of somebody else");
}

TEST_CASE("what is no regular file is not there") {
    CHECK_FALSE(OutputFile("/dev/null").is_there());
    CHECK_FALSE(OutputFile("/").is_there());
    CHECK_FALSE(OutputFile("").is_there());
}
