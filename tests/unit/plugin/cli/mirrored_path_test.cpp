#include "plugin/cli/mirrored_path.h"

#include <doctest/doctest.h>

using slimgrad::mirrored_path;

TEST_CASE("files stand to the output as they stand to the input") {
    const std::string in = "/p/shaders/a.slang";
    CHECK(mirrored_path("/p/shaders/h.slang", in, "/b/a.slang") == "/b/h.slang");
    CHECK(mirrored_path("/p/shaders/lib/h.slang", in, "/b/x/y.slang") == "/b/x/lib/h.slang");
    CHECK(mirrored_path("/p/common/h.slang", in, "/b/shaders/a.slang") == "/b/common/h.slang");
}

TEST_CASE("nothing is placed outside the tree of the output") {
    CHECK(!mirrored_path("/p/common/h.slang", "/p/shaders/a.slang", "/b/a.slang"));
    CHECK(!mirrored_path("/q/h.slang", "/p/shaders/a.slang", "/b/shaders/a.slang"));
}
