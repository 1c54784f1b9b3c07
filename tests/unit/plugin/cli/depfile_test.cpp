#include "plugin/cli/depfile.h"

#include <doctest/doctest.h>

using slimgrad::depfile;

TEST_CASE("a dependency file names each input once and escapes what Make would read otherwise") {
    CHECK(depfile("out.slang", {"/p/a.slang", "/p/b.slang", "/p/a.slang"}) ==
          "out.slang: \\\n  /p/a.slang \\\n  /p/b.slang\n");
    CHECK(depfile("my out", {"/p q/a#1$x"}) == "my\\ out: \\\n  /p\\ q/a\\#1$$x\n");
    CHECK(depfile("out", {}) == "out:\n");
}
