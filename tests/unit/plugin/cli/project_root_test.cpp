#include "plugin/cli/project_root.h"

#include "tests/unit/temporary_folder.h"

#include <doctest/doctest.h>
#include <filesystem>

using slimgrad::canonical_path;
using slimgrad::find_configuration;
using slimgrad::project_root;
using slimgrad::TemporaryFolder;

TEST_CASE("the project root is the nearest folder with slimgrad.toml or .git") {
    const TemporaryFolder folder;
    folder.write("p/slimgrad.toml", "");
    folder.write("p/a/b/x.slang", "");
    const std::string root = canonical_path(folder / "p");
    CHECK(project_root(folder / "p/a/b/x.slang") == root);
    CHECK(find_configuration(folder / "p/a/b/x.slang") == root + "/slimgrad.toml");

    folder.write("p/a/.git/HEAD", "");
    CHECK(project_root(folder / "p/a/b/x.slang") == root + "/a");
    // The configuration may lie further up than the root.
    CHECK(find_configuration(folder / "p/a/b/x.slang") == root + "/slimgrad.toml");
}

TEST_CASE("without either, the project root is the file's own folder") {
    const TemporaryFolder folder;
    const std::string file = folder.write("p/x.slang", "");
    CHECK(project_root(file) == canonical_path(folder / "p"));
    CHECK(find_configuration(file).empty());
}

TEST_CASE("a link belongs to the project of the file that it names") {
    const TemporaryFolder folder;
    folder.write("p/slimgrad.toml", "");
    folder.write("p/x.slang", "");
    folder.write("q/slimgrad.toml", "");
    std::filesystem::create_symlink(folder / "p/x.slang", folder / "q/link.slang");
    CHECK(project_root(folder / "q/link.slang") == canonical_path(folder / "p"));
}
