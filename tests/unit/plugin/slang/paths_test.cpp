#include "plugin/slang/paths.h"
#include "tests/unit/temporary_folder.h"

#include <doctest/doctest.h>
#include <filesystem>

namespace slimgrad::slang_plugin {

namespace fs = std::filesystem;

TEST_CASE("canonical paths") {
    TemporaryFolder folder;
    folder.write("real/file", "");
    fs::create_symlink("real", folder / "link");
    fs::create_symlink("/absolute/target", folder / "far");
    fs::create_symlink("b", folder / "a");
    fs::create_symlink("a", folder / "b");
    const std::string root = folder.path().string();
    CHECK(canonical_path(folder / "link/file") == root + "/real/file");
    CHECK(canonical_path(folder / "link/../x//y/./z") == root + "/x/y/z");
    CHECK(canonical_path(folder / "far/more") == "/absolute/target/more");
    CHECK(canonical_path(folder / "link\\file") == root + "/real/file");
    CHECK(canonical_path(folder / "a") == "");
    CHECK(canonical_path("/..") == "/");
    CHECK(canonical_path("x/../y") == fs::canonical(".").string() + "/y");
}

TEST_CASE("simplified paths") {
    CHECK(simplified_path("a/./b/../c.slang") == "a/c.slang");
    CHECK(simplified_path("../a/../../b") == "../../b");
    CHECK(simplified_path("/x/../y") == "/y");
    CHECK(simplified_path("a\\b\\..\\c") == "a/c");
    CHECK(simplified_path("a.slang") == "a.slang");
    CHECK(simplified_path(".") == ".");
    CHECK(simplified_path("a/..") == ".");
}

} // namespace slimgrad::slang_plugin
