#include "attributes/attribute_edit.h"

#include "attributes/trip_count.h"
#include "module_text.h"

using namespace slimgrad;

namespace {

/// The attribute's argument as it is edited; "none" where it is not.
std::string argument(const std::string& attribute) {
    const ModuleText module("#define N 64\nfloat f(float x)\n{\n    [" + attribute +
                            "]\n    for (int i = 0; i < 8; ++i) x += 1;\n    return x;\n}\n");
    REQUIRE(module.model.loops.size() == 1);
    const Attribute* bound = bound_attribute(module.model.loops[0]);
    REQUIRE(bound);
    const auto range = argument_range(module.model, *bound);
    return range ? std::string(module.model.text({bound->site.file, *range})) : "none";
}

} // namespace

TEST_SUITE("attributes/attribute_edit") {
    TEST_CASE("the argument alone is edited, comments beside it stay") {
        CHECK(argument("MaxIters(64)") == "64");
        CHECK(argument("MaxIters( N )") == "N");
        CHECK(argument("MaxIters(32 + (N))") == "32 + (N)");
        CHECK(argument("MaxIters((32) + (N))") == "(32) + (N)");
        CHECK(argument("MaxIters /*c*/ ( /* 64 */ 64 /* 2 */ )") == "64");
        CHECK(argument("MaxIters(( /* 64 */ 64 /* ) */ ))") == "64");
        CHECK(argument("MaxIters( // many\n64 // so many\n)") == "64");
    }

    TEST_CASE("nothing is edited where a comment or a directive would be lost") {
        CHECK(argument("MaxIters(32 /* and */ + 32)") == "none");
        CHECK(argument("MaxIters(\n#if 1\n64\n#else\n32\n#endif\n)") == "none");
    }

    TEST_CASE("an attribute with a comment or a directive is not replaced as a whole") {
        for (const bool has_comment : {true, false}) {
            const ModuleText module(
                "float f(float x)\n{\n    [MaxIters(64" +
                std::string(has_comment ? " /* many */" : "") +
                ")]\n    for (int i = 0; i < 8; ++i) x += 1;\n    return x;\n}\n");
            const Attribute* bound = bound_attribute(module.model.loops[0]);
            REQUIRE(bound);
            CHECK(holds_more_than_code(module.model, *bound) == has_comment);
        }
    }
}
