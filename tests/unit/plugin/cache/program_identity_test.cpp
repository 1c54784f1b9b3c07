#include "plugin/cache/program_identity.h"

#include "environment_variable.h"
#include "temporary_folder.h"

#include <doctest/doctest.h>
#include <filesystem>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

void set_time(const std::string& path, int seconds) {
    fs::last_write_time(path, fs::file_time_type(std::chrono::seconds(seconds)));
}

} // namespace

TEST_SUITE_BEGIN("program identity");

TEST_CASE("identity: of a file its path, size and time count, its name through links does not") {
    const TemporaryFolder folder;
    const std::string path = folder.write("a", "text");
    set_time(path, 1000);
    const std::string before = file_identity(path);
    fs::create_symlink(path, folder / "link");
    CHECK(file_identity(folder / "link") == before);
    set_time(path, 1001);
    CHECK(file_identity(path) != before);
    folder.write("a", "texts");
    set_time(path, 1000);
    CHECK(file_identity(path) != before);
    folder.write("a", "text");
    set_time(path, 1000);
    CHECK(file_identity(path) == before);
    fs::remove(path);
    CHECK(file_identity(path) != before);
}

TEST_CASE("identity: a launcher's counts what it launches") {
    const TemporaryFolder folder;
    const std::string program = folder.write("real", "1");
    const std::string launcher =
        folder.write("bin/launcher", "#!/bin/sh\nexec \"" + program + "\" \"$@\"\n");
    fs::permissions(launcher, fs::perms::owner_exec, fs::perm_options::add);
    const std::string before = program_identity(launcher);
    {
        const EnvironmentVariable path("PATH", "/nonexistent:" + (folder / "bin"));
        const std::string by_name = program_identity("launcher");
        CHECK(by_name.find("bin/launcher") != std::string::npos);
        CHECK(program_identity("no-such-program") != by_name);
        // Other folders on PATH do not matter, another program of the name does.
        folder.write("other/program", "");
        const EnvironmentVariable longer("PATH", (folder / "other") + ":" + (folder / "bin"));
        CHECK(program_identity("launcher") == by_name);
        folder.write("other/launcher", "");
        fs::permissions(folder / "other/launcher", fs::perms::owner_exec, fs::perm_options::add);
        CHECK(program_identity("launcher") != by_name);
    }
    folder.write("real", "22");
    CHECK(program_identity(launcher) != before);
}

TEST_CASE("identity: of a folder the files of a name count") {
    const TemporaryFolder folder;
    folder.write("liba.so", "1");
    const std::string before = folder_identity(folder.path().string(), "lib");
    folder.write("other", "1");
    CHECK(folder_identity(folder.path().string(), "lib") == before);
    folder.write("libb.so", "1");
    CHECK(folder_identity(folder.path().string(), "lib") != before);
}

TEST_CASE("identity: of the environment the variables that are named count") {
    const EnvironmentVariable first("SLIMGRAD_TEST_A", "1"), second("SLIMGRAD_TEST_B", "2");
    CHECK(environment_identity({"SLIMGRAD_TEST_A"}) == "SLIMGRAD_TEST_A=1\n");
    CHECK(environment_identity({"SLIMGRAD_TEST_*"}) == "SLIMGRAD_TEST_A=1\nSLIMGRAD_TEST_B=2\n");
    CHECK(environment_identity({"SLIMGRAD_TEST"}) == "");
    CHECK(own_identity() == file_identity("/proc/self/exe"));
}

TEST_SUITE_END();

} // namespace slimgrad
