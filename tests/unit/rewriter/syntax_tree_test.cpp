#include "rewriter/syntax_tree.h"

#include "rewriter/syntax_node.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using slimgrad::ByteRange;
using slimgrad::SyntaxNode;
using slimgrad::SyntaxTree;

namespace {

std::string repeat(const std::string& text, int count) {
    std::string result;
    for (int i = 0; i < count; ++i)
        result += text;
    return result;
}

} // namespace

TEST_SUITE("rewriter/syntax_tree") {
    TEST_CASE("a tree without errors") {
        const std::string text = "[Differentiable]\nfloat f(float x) { return x; }\n";
        const SyntaxTree tree = SyntaxTree::parse(text);
        CHECK(tree.errors().empty());
        const auto declarations = tree.root().children();
        REQUIRE(declarations.size() == 1);
        CHECK(declarations[0].is("function_declaration"));
        CHECK(declarations[0].range() == ByteRange{0, 47});
        const ByteRange name = declarations[0].field("name").range();
        CHECK(text.substr(name.begin, name.end - name.begin) == "f");
        CHECK_FALSE(declarations[0].has_error());
    }

    TEST_CASE("errors that are added overlap none") {
        SyntaxTree tree = SyntaxTree::parse("int a; int ] b; int c;");
        REQUIRE(tree.errors() == std::vector<ByteRange>{{11, 12}});
        tree.add_errors({{16, 20}, {3, 5}, {10, 13}});
        CHECK(tree.errors() == std::vector<ByteRange>{{3, 5}, {10, 13}, {16, 20}});
        CHECK(tree.is_broken({11, 12}));
        CHECK_FALSE(tree.is_broken({5, 10}));
    }

    TEST_CASE("errors and missing tokens have ranges, the rest is read") {
        //                        0         1         2         3         4
        //                        0123456789012345678901234567890123456789012345
        const std::string text = "float f() { return ] 1; } float g() { return 2 }";
        const SyntaxTree tree = SyntaxTree::parse(text);
        REQUIRE(tree.errors().size() == 2);
        CHECK(tree.errors()[0] == ByteRange{19, 20});
        CHECK(tree.errors()[1].empty()); // the semicolon
        CHECK(tree.errors()[1].begin >= 46);
        CHECK(tree.root().children().size() == 2);

        CHECK(tree.is_broken({0, 25}));
        CHECK(tree.is_broken({26, 48}));
        CHECK_FALSE(tree.is_broken({0, 10}));
        CHECK_FALSE(tree.is_broken({26, 40}));
        CHECK(tree.is_broken({19, 19}));
    }

    TEST_CASE("offsets count bytes, with BOM and CRLF") {
        const std::string text = "\xEF\xBB\xBF// \xC3\xA9\r\nfloat \xCE\xB1;\r\n";
        const SyntaxTree tree = SyntaxTree::parse(text);
        CHECK(tree.errors().empty());
        const auto declarations = tree.root().children();
        REQUIRE(declarations.size() == 1);
        CHECK(declarations[0].range().begin == text.find("float"));
        CHECK(declarations[0].field("declarator").range() ==
              ByteRange{std::uint32_t(text.find("\xCE\xB1")), std::uint32_t(text.find(';'))});
    }

    TEST_CASE("empty text") {
        const SyntaxTree tree = SyntaxTree::parse("");
        CHECK(tree.errors().empty());
        CHECK(tree.root().children().empty());
    }

    TEST_CASE("no node has empty answers") {
        const SyntaxNode nothing;
        CHECK_FALSE(nothing);
        CHECK(nothing.kind().empty());
        CHECK(nothing.range() == ByteRange{0, 0});
        CHECK(nothing.children().empty());
        CHECK_FALSE(nothing.field("name"));
        CHECK_FALSE(nothing.token("for"));
    }

    TEST_CASE("children are told apart by field and kind") {
        const SyntaxTree tree = SyntaxTree::parse("int a /* one */, b;");
        const SyntaxNode declaration = tree.root().children()[0];
        CHECK(declaration.fields("declarator").size() == 2);
        CHECK(declaration.children().size() == 3);
        CHECK(declaration.all_children().size() ==
              6); // with the comment, the comma and the semicolon
        CHECK(declaration.token(",").range() == ByteRange{15, 16});
    }

    TEST_CASE("more children than a node can have are one error") {
        for (const char* extra : {"//\n", "/**/", "#a\n", "#if 0\nint x;\n#endif\n"}) {
            CAPTURE(extra);
            const std::string text = "int a;\n" + repeat(extra, 70'000) + "int b;\n";
            const SyntaxTree tree = SyntaxTree::parse(text);
            CHECK(tree.errors() == std::vector<ByteRange>{{0, std::uint32_t(text.size())}});
            CHECK(tree.is_broken({0, 1}));
            CHECK(tree.root().children().empty());
        }
        // Wrong tokens are children of one error, too.
        for (const char* token : {"f(", "{", "( "})
            CHECK_FALSE(SyntaxTree::parse(repeat(token, 70'000)).errors().empty());
    }

    TEST_CASE("many comments, and many in one gap, are read") {
        CHECK(SyntaxTree::parse(repeat("int x; // a\n", 70'000)).errors().empty());
        CHECK(SyntaxTree::parse(repeat("//\n", 60'000) + "int x;\n").errors().empty());
        const std::string gap = repeat("//\n", 4'000);
        std::string text;
        for (const char* part :
             {"void", "f", "(", "int", "x", ")", "{",  "for", "(", "int", "i", "=",
              "0",    ";", "i", "<",   "3", ";", "++", "i",   ")", ";",   "}"})
            text += part + gap;
        CHECK(SyntaxTree::parse(text).errors().empty());
    }

    TEST_CASE("deep nesting needs no stack") {
        const std::string text = "float f() { return " + std::string(50000, '(') + "1" +
                                 std::string(50000, ')') + "; ] }";
        CHECK_FALSE(SyntaxTree::parse(text).errors().empty());
    }
}
