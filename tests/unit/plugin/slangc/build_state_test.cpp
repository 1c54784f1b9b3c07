#include "plugin/slangc/build_state.h"

#include "environment_variable.h"
#include "temporary_folder.h"

#include <chrono>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <vector>

using slimgrad::DropInSettings;
using slimgrad::EnvironmentVariable;
using slimgrad::TemporaryFolder;
using slimgrad::slangc::own_dependencies;
using slimgrad::slangc::takes_empty_rules;
using slimgrad::slangc::update_state_file;
using slimgrad::slangc::with_dependencies;
namespace fs = std::filesystem;

TEST_CASE("the state file changes when what is done to CUDA changes, and only then") {
    const TemporaryFolder folder;
    const EnvironmentVariable cache("SLIMGRAD_CACHE_DIR", folder.path().string());
    DropInSettings settings;
    const std::string file = update_state_file(settings);
    REQUIRE(fs::is_regular_file(file));
    CHECK(fs::path(file).parent_path() == folder.path());
    const auto is_touched = [&] {
        const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
        fs::last_write_time(file, old);
        CHECK(update_state_file(settings) == file);
        return fs::last_write_time(file) != old;
    };
    CHECK_FALSE(is_touched());
    settings.on = false;
    CHECK(is_touched());
    CHECK_FALSE(is_touched());
    settings.rewrite.passes = {"heap"}; // of no account while it is off
    CHECK_FALSE(is_touched());
    settings.on = true;
    CHECK(is_touched());
    settings.rewrite.passes = {"single-copy"};
    CHECK(is_touched());
    settings.rewrite.heap_threshold = 128;
    CHECK(is_touched());
    settings.rewrite.heap_layout = "grid";
    CHECK(is_touched());
    settings.rewrite.program = "/bin/sh";
    CHECK(is_touched());
    settings.rewrite.program = "/bin/missing";
    CHECK(is_touched());
    CHECK_FALSE(is_touched());
}

TEST_CASE("without a folder for it there is no state file") {
    const TemporaryFolder folder;
    const EnvironmentVariable cache("SLIMGRAD_CACHE_DIR", folder.write("file", "") + "/below");
    CHECK(update_state_file({}).empty());
}

TEST_CASE("only files that exist are listed") {
    const EnvironmentVariable other("SLIMGRAD_CLANG");
    DropInSettings settings;
    settings.rewrite.program = "/bin/sh";
    CHECK(own_dependencies(settings, "/a/state").size() == 3);
    CHECK(own_dependencies(settings, "/a/state").at(1) == "/bin/sh");
    settings.rewrite.program = "/bin/missing";
    CHECK(own_dependencies(settings, "").size() == 1);
}

TEST_CASE("a file with a space in its name is listed by a link without one") {
    const TemporaryFolder folder;
    const EnvironmentVariable cache("SLIMGRAD_CACHE_DIR", folder.path().string()),
        other("SLIMGRAD_CLANG");
    DropInSettings settings;
    settings.rewrite.program = folder.write("with space/program", "");
    fs::permissions(settings.rewrite.program, fs::perms::owner_all);
    for (int time = 0; time < 2; ++time) {
        const std::vector<std::string> files = own_dependencies(settings, "/state");
        REQUIRE(files.size() == 3);
        CHECK(files[1].find(' ') == std::string::npos);
        CHECK(fs::equivalent(files[1], settings.rewrite.program));
    }
    const EnvironmentVariable no_better("SLIMGRAD_CACHE_DIR", folder / "with space");
    CHECK(own_dependencies(settings, "/state").size() == 2);
}

TEST_CASE("every output's line of a depfile gets the further files, once") {
    const std::vector<std::string> further{"/a/tool", "/with space/a:b#c$d"};
    const std::string tail = " /a/tool /with\\ space/a\\:b\\#c$$d";
    CHECK(with_dependencies("x.cu: /s/a.slang /s/b.slang\n", further, false) ==
          "x.cu: /s/a.slang /s/b.slang" + tail + "\n");
    CHECK(with_dependencies("x.cu: a\ny.cpp: b\n", further, false) ==
          "x.cu: a" + tail + "\ny.cpp: b" + tail + "\n");
    CHECK(with_dependencies("x.cu: a", further, false) == "x.cu: a" + tail);
    CHECK(with_dependencies("", further, false).empty());
    const std::string once = with_dependencies("x.cu: a\n", further, false);
    CHECK(with_dependencies(once, further, false) == once);
    CHECK(with_dependencies("x.cu: a\n", {}, false) == "x.cu: a\n");
}

TEST_CASE("further files get rules of their own, as by gcc -MP, where the reader takes them") {
    const std::vector<std::string> further{"/a/tool", "/b c"};
    const std::string expected = "x.cu: a /a/tool /b\\ c\n/a/tool:\n/b\\ c:\n";
    CHECK(with_dependencies("x.cu: a\n", further, true) == expected);
    CHECK(with_dependencies("x.cu: a", further, true) == expected);
    CHECK(with_dependencies(expected, further, true) == expected);
    CHECK(with_dependencies("", further, true).empty());
    CHECK(takes_empty_rules("x.d"));
    CHECK_FALSE(takes_empty_rules("/cache/x.cu.d.out")); // slangtorch's
}
