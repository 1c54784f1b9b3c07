#include "rewriter/extras.h"
#include "rewriter/syntax_tree.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

std::size_t longest_run(std::string_view text) {
    return slimgrad::count_extras(text).longest_run;
}

std::string repeat(const char* text, int count) {
    std::string result;
    for (int i = 0; i < count; ++i)
        result += text;
    return result;
}

} // namespace

TEST_SUITE("rewriter/extras") {
    TEST_CASE("a token ends a run") {
        CHECK(longest_run("") == 0);
        CHECK(longest_run("int x;") == 0);
        CHECK(longest_run("// a\n/* b */ # c\nint x; // d\n// e\n") == 3);
        CHECK(longest_run("//////\n") == 1);
    }

    TEST_CASE("words in comments and directives end none") {
        CHECK(longest_run("/* a\n b */\n#define X y\n// z\n") == 3);
        CHECK(longest_run("#define X /* a\n b */ c\n// z\n") == 3);
    }

    TEST_CASE("strings are tokens, what looks like a comment in them is counted to be safe") {
        CHECK(longest_run("// a\n\"x\" // b\n// c\n") == 2);
        CHECK(longest_run("\"//\" x \"\\\"\" // b\n") == 1);
        CHECK(longest_run("\"/*\" // a\n// b\n") == 3);
    }

    TEST_CASE("a branch that is left out may hold no token") {
        CHECK(longest_run("#if 0\nint x;\n#endif\n// a\n") == 3);
        CHECK(longest_run("#ifdef __cplusplus\nint x;\n#endif\n// a\n") == 3);
        CHECK(longest_run("#if A\nint x;\n#else\nint y;\n#endif\n// a\n") == 3);
        CHECK(longest_run("#if A\nint x;\n#endif\n// a\n") == 2);
        CHECK(longest_run("#if 0\n#endif\n#if A\n// a\nint x;\n#endif\n") == 4);
    }

    TEST_CASE("all are counted") {
        CHECK(slimgrad::count_extras("// a\nint x; /* b */ int y;\n#c\n// d").all == 4);
    }

    TEST_CASE("a long file with many comments is read") {
        const std::string many = repeat("int x; // a\n", 70'000);
        CHECK(longest_run(many) == 1);
        CHECK(slimgrad::SyntaxTree::parse(many).errors().empty());
        const std::string run = repeat("//\n", 59'000);
        CHECK(slimgrad::SyntaxTree::parse(run + "int x;\n").errors().empty());
    }

    TEST_CASE("as many in a row as the parser does not bear are an error") {
        for (const char* extra : {"//\n", "/**/", "#a\n", "#if 0\nint x;\n#endif\n"}) {
            const std::string run = repeat(extra, 33'000);
            CHECK(longest_run(run) >= 33'000);
            CHECK(slimgrad::SyntaxTree::parse(run + "int x;\n" + run).errors().size() == 1);
            CHECK(slimgrad::SyntaxTree::parse("int x = 1" + run + "+" + run + "2;").errors().size() == 1);
        }
    }

    TEST_CASE("gaps of 4,000 in the longest rule") {
        const std::string gap = repeat("//\n", 4'000);
        std::string text;
        for (const char* part : {"[A]", "void", "f", "<", "T", ">", "(", "int", "x", ")", "where", "T", ":", "I", "{",
                                 "for", "(", "int", "i", "=", "0", ";", "i", "<", "3", ";", "++", "i", ")", ";", "}"})
            text += part + gap;
        CHECK(slimgrad::SyntaxTree::parse(text).errors().empty());
    }
}
