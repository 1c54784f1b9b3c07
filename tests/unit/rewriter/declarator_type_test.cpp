#include "rewriter/declarator_type.h"

#include "rewriter/syntax_tree.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;

namespace {

/// The types of the declarators of the text's only declaration, "-" where there is none.
std::string types(const std::string& text) {
    const SyntaxTree tree = SyntaxTree::parse(text);
    REQUIRE(tree.errors().empty());
    const SyntaxNode declaration = tree.root().children().at(0);
    std::string result;
    for (SyntaxNode declarator : declaration.fields("declarator")) {
        const SyntaxNode type = declarator_type(declaration, declarator);
        const ByteRange range = type.range();
        result += (result.empty() ? "" : ", ") +
                  (type ? text.substr(range.begin, range.end - range.begin) : "-");
    }
    return result;
}

} // namespace

TEST_SUITE("rewriter/declarator_type") {
    TEST_CASE("a star is one declarator's alone") {
        CHECK(types("float x, y[2];") == "float, float");
        CHECK(types("float *x, y = 1, *z;") == "float *, float, float *");
        CHECK(types("static float **x, *y, z, **u;") == "float **, float *, float, float **");
        CHECK(types("float x, *z;") == "float, -");
    }

    TEST_CASE("let and var") {
        CHECK(types("static let x : int = 1, y = 2;") == "int, -");
    }
}
