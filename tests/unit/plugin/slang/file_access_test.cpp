#include "plugin/slang/file_access.h"
#include "tests/unit/temporary_folder.h"

#include <doctest/doctest.h>
#include <filesystem>

namespace slimgrad::slang_plugin {

namespace fs = std::filesystem;

TEST_CASE("files are read under the given folders only") {
    TemporaryFolder folder;
    const std::string inside = folder.write("project/a.h", "inside");
    const std::string outside = folder.write("b.h", "outside");
    folder.write("project-2/c.h", "beside");
    const FileTexts nothing;
    FileAccess files(nothing, {folder / "project"});
    CHECK(files.read(inside).text == "inside");
    CHECK(files.read(folder / "project/../project/./a.h").text == "inside");
    CHECK(files.kind(folder / "project") == FileAccess::Kind::folder);
    CHECK(files.kind(inside) == FileAccess::Kind::file);
    CHECK(files.kind(folder / "project/no.h") == FileAccess::Kind::missing);
    CHECK(files.read(folder / "project/no.h").status == ReadStatus::missing);
    CHECK(files.read(folder / "project").status == ReadStatus::not_a_file);

    const std::vector<std::string> refused = {outside, folder / "no.h", folder / "project/../b.h",
                                              folder / "project-2/c.h"};
    for (const std::string& path : refused) {
        CHECK(files.kind(path) == FileAccess::Kind::refused);
        const ReadResult result = files.read(path);
        CHECK(result.status == ReadStatus::refused);
        CHECK(result.text.empty());
    }
    CHECK(files.refused() == std::set<std::string>(refused.begin(), refused.end()));
    CHECK(files.files_read() == std::vector<std::string>{inside});
}

TEST_CASE("links are followed before a folder is checked") {
    TemporaryFolder folder;
    const std::string real = folder.write("project/sub/a.h", "inside");
    folder.write("outside/b.h", "outside");
    fs::create_symlink("sub", folder / "project/in");
    fs::create_symlink("../outside", folder / "project/out");
    fs::create_symlink("project", folder / "alias");
    fs::create_symlink("turning", folder / "project/turning");
    const FileTexts nothing;
    FileAccess files(nothing, {folder / "alias"});
    CHECK(files.read(folder / "project/in/a.h").text == "inside");
    CHECK(files.read(folder / "alias/sub/a.h").text == "inside");
    CHECK(files.read(folder / "project/out/b.h").status == ReadStatus::refused);
    CHECK(files.read(folder / "project/out/none.h").status == ReadStatus::refused);
    CHECK(files.read(folder / "project/turning").status == ReadStatus::refused);
    CHECK(files.files_read() == std::vector<std::string>{real});
}

TEST_CASE("an overlay is read before the disk and needs no file") {
    TemporaryFolder folder;
    const std::string path = folder.write("a.h", "disk");
    const FileTexts overlay = {{path, "memory"}, {folder / "sub/new.h", "new"}};
    FileAccess files(overlay, {folder.path().string()});
    CHECK(files.read(folder / "./a.h").text == "memory");
    CHECK(files.kind(folder / "sub/new.h") == FileAccess::Kind::file);
    CHECK(files.read(folder / "sub/new.h").text == "new");
}

TEST_CASE("places get canonical paths and byte columns") {
    TemporaryFolder folder;
    const std::string path = folder.write("a.h", "x\n\xC3\xA9y\n");
    const FileTexts nothing;
    FileAccess files(nothing, {folder.path().string()});
    const std::string spelling = folder / "./a.h";
    CHECK(files.locate({spelling, 2, 2}) == Place{spelling, 2, 2}); // not read yet
    files.read(spelling);
    CHECK(files.locate({spelling, 2, 2}) == Place{path, 2, 3});
    CHECK(files.locate({"core.meta.slang", 7, 3}) == Place{"core.meta.slang", 7, 3});
    CHECK(files.locate({"core", 0, 0}) == Place{});
}

} // namespace slimgrad::slang_plugin
