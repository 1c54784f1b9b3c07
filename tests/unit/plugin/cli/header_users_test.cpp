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
}
