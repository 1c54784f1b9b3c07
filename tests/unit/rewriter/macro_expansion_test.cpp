#include "rewriter/macro_expansion.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

std::string expanded(const std::string& directive, const std::vector<std::string>& arguments) {
    const std::vector<SourceFile> files{SourceFile("a.slang", directive + "\n")};
    const ActiveText active = preprocess(files, {});
    REQUIRE(active.macros.size() == 1);
    return expand_macro(files, active.macros[0], arguments).value_or("(nothing)");
}

} // namespace

TEST_SUITE("rewriter/macro_expansion") {
    TEST_CASE("parameters are replaced as whole words") {
        CHECK(expanded("#define LOOP(n) [MaxIters(n)]", {"8"}) == "[MaxIters(8)]");
        CHECK(expanded("#define F(a, b) a*b + ab", {"x", "2"}) == "x*2 + ab");
        CHECK(expanded("#define F(a) \"a\" a", {"x"}) == "\"a\" x");
    }

    TEST_CASE("joined words") {
        CHECK(expanded("#define F(a) d_ ## a", {"x"}) == "d_x");
    }

    TEST_CASE("without parameters") {
        CHECK(expanded("#define READ [PreferRecompute]", {}) == "[PreferRecompute]");
    }

    TEST_CASE("another number of arguments") {
        CHECK(expanded("#define F(a, b) a", {"x"}) == "(nothing)");
    }

    TEST_CASE("continued definition") {
        CHECK(expanded("#define F(a) \\\n  g(a)", {"1"}) == "g(1)");
    }

    TEST_CASE("uses of function-like macros") {
        const std::string text =
            "#define EACH(i, n) for (int i = 0; i < n; ++i)\n"
            "void f() { EACH (k, g(3)) { h(\"EACH(\"); } /* EACH(1) */ EACH; }\n";
        const std::vector<SourceFile> files{SourceFile("a.slang", text)};
        const ActiveText active = preprocess(files, {});
        const auto uses = find_macro_uses(active.texts[0], active.macros);
        REQUIRE(uses.size() == 1);
        CHECK(files[0].slice(uses[0]) == "EACH (k, g(3))");
    }

    TEST_CASE("a use that never closes ends with the text") {
        const std::vector<SourceFile> files{
            SourceFile("a.slang", "#define F(x) x\nint a = F(((1;")};
        const ActiveText active = preprocess(files, {});
        const auto uses = find_macro_uses(active.texts[0], active.macros);
        REQUIRE(uses.size() == 1);
        CHECK(uses[0].end == files[0].text().size());
    }
}
