#include "rewriter/unclosed_comment.h"

#include <doctest/doctest.h>
#include <string>

using slimgrad::SyntaxTree;
using slimgrad::unclosed_comment;

TEST_SUITE("rewriter/unclosed_comment") {
    TEST_CASE("a block comment without an end") {
        const auto at = [](const std::string& text) {
            return unclosed_comment(SyntaxTree::parse(text), text);
        };
        CHECK(at("float f;\n/* x\nfloat g;\n") == 9);
        CHECK(at("void f() { /* x\n}\n") == 11);
        CHECK(at("/*/") == 0);
        for (const char* closed :
             {"", "/**/", "float f; // x", "float f; /* x */", "/* x */\n", "// /*"})
            CHECK_FALSE(at(closed));
    }
}
