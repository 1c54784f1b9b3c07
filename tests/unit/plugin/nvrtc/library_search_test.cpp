#include "plugin/nvrtc/library_search.h"

#include "temporary_folder.h"

#include <doctest/doctest.h>
#include <filesystem>

using namespace slimgrad;
using Words = std::vector<std::string>;

TEST_CASE("nvrtc search: the plain name stands for every version, a versioned one for itself") {
    const TemporaryFolder folder;
    const std::string own = folder.write("shim/libnvrtc.so", "");
    folder.write("shim/libnvrtc.so.13", "");
    const std::string twelve = folder.write("a/libnvrtc.so.12", "");
    const std::string thirteen = folder.write("b/libnvrtc.so.13", "");
    const std::string eleven = folder.write("b/libnvrtc.so.11.2", "");
    folder.write("b/libnvrtc-builtins.so.13.0", "");
    const Words folders{folder / "shim", folder / "a", folder / "missing", folder / "b"};
    CHECK(nvrtc::candidates(own, folders) == Words{twelve, thirteen, eleven});
    CHECK(nvrtc::candidates(folder / "shim/libnvrtc.so.13", folders) == Words{thirteen});
    CHECK(nvrtc::candidates(folder / "shim/libnvrtc.so.14", folders).empty());
}

TEST_CASE("nvrtc search: links to one file count once, those to the shim not at all") {
    const TemporaryFolder folder;
    const std::string own = folder.write("shim/libnvrtc.so", "");
    const std::string real = folder.write("lib/libnvrtc.so.13", "");
    std::filesystem::create_symlink("libnvrtc.so.13", folder / "lib/libnvrtc.so");
    std::filesystem::create_symlink("shim", folder / "other");
    std::filesystem::create_directory(folder / "links");
    std::filesystem::create_symlink(own, folder / "links/libnvrtc.so");
    CHECK(nvrtc::candidates(own, {folder / "other", folder / "links", folder / "lib"}) ==
          Words{folder / "lib/libnvrtc.so"});
}

TEST_CASE("nvrtc search: ld.so.conf with comments and included files") {
    const TemporaryFolder folder;
    const std::string main = folder.write("ld.so.conf", "# first\n/usr/one # not this\n"
                                                        "include conf.d/*.conf\n\n  /usr/two\n"
                                                        "hwcap 0 nosegneg\ninclude\n");
    folder.write("conf.d/b.conf", "/opt/b\n");
    folder.write("conf.d/a.conf", "/opt/a\n");
    folder.write("conf.d/a.txt", "/opt/not\n");
    CHECK(nvrtc::folders_of_ld_so_conf(main) == Words{"/usr/one", "/opt/a", "/opt/b", "/usr/two"});
    CHECK(nvrtc::folders_of_ld_so_conf(folder / "missing").empty());
}

TEST_CASE("nvrtc search: an ld.so.conf that includes itself ends") {
    const TemporaryFolder folder;
    const std::string main = folder.write("ld.so.conf", "include ld.so.conf\n/usr/one\n");
    CHECK(nvrtc::folders_of_ld_so_conf(main).back() == "/usr/one");
}
