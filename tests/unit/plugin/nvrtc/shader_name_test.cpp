#include "plugin/nvrtc/shader_name.h"

#include <doctest/doctest.h>

using namespace slimgrad::nvrtc;

TEST_CASE("nvrtc programs: the shader is the first file of a #line that is not Slang's") {
    CHECK(
        shader_name("\n#line 93 \"core\"\n#line 7\n#line 1 \"token paste\"\n"
                    "#line 9 \"hlsl.meta.slang\"\n#line 3 \"a/b.slang\"\n#line 4 \"c.slang\"\n") ==
        "a/b.slang");
    CHECK(shader_name("\n#line 3 \"a \\\"b\\\".slang\"\n") == "a \\\"b\\\".slang");
    CHECK(shader_name("\n#line 3 \"cut.slang") == "");
    CHECK(shader_name("int x; // #line 3 \"a.slang\"\n") == "");
    CHECK(shader_name("") == "");
}
