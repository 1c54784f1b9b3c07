#include "plugin/cli/header_users.h"

#include "temporary_folder.h"

#include <doctest/doctest.h>
#include <filesystem>

using namespace slimgrad;

TEST_SUITE("plugin/cli/header_users") {
    TEST_CASE("by #include, import and __include, also through others") {
        const TemporaryFolder folder;
        const std::string common = folder.write("common.slang", "float f() { return 1; }\n");
        const std::string a = folder.write("a.slang", "  #include \"common.slang\"\nfloat g();\n");
        const std::string b = folder.write("b.slang", "import a;\n");
        const std::string c = folder.write("c.slang", "__include common;\n");
        folder.write("d.slang", "// import common\nfloat h();\n");
        folder.write("e.slang", "import uncommon;\nimportant x;\n");
        const std::string root = folder.path().string();
        CHECK(users_of(common, root, {}) == std::vector<std::string>{a, b, c});
        CHECK(users_of(common, root, {a}) == std::vector<std::string>{b, c});
        CHECK(users_of(c, root, {}).empty());
    }

    TEST_CASE("a file beside the one that names it is meant, and no other of that name") {
        const TemporaryFolder folder;
        const std::string mine = folder.write("mine/lib/my-common.slang", "float f();\n");
        folder.write("other/lib/my-common.slang", "float f();\n");
        const std::string a = folder.write("mine/a.slang", "#include \"lib/my-common.slang\"\n");
        const std::string b = folder.write("mine/b.slang", "import lib.my_common;\n");
        const std::string c = folder.write("mine/sub/c.slang", "import \"../lib/my-common\";\n");
        const std::string d = folder.write("far/d.slang", "import lib.my_common;\n"); // by -I
        folder.write("other/e.slang", "#include \"lib/my-common.slang\"\n");
        folder.write("other/f.slang", "import lib.my_common;\n");
        const std::string root = folder.path().string();
        CHECK(users_of(mine, root, {}) == std::vector<std::string>{d, a, b, c});
    }
}
