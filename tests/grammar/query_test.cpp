#include "tests/grammar/query.h"

#include "tests/grammar/inputs.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>

using namespace slimgrad::tests;

TEST_CASE("queries: predicates, and what is no query") {
    Parsed parsed = parse("int a; int b; int c;");
    auto names = [&](std::string_view text) {
        std::string result;
        for (const Match& match : Query(text).matches(parsed.root(), parsed.source))
            result += text_of(match.captures.front().node, parsed.source);
        return result;
    };
    CHECK(names("(identifier) @x") == "abc");
    CHECK(names("((identifier) @x (#eq? @x \"b\"))") == "b");
    CHECK(names("((identifier) @x (#not-eq? @x \"b\"))") == "ac");
    CHECK(names("((identifier) @x (#any-of? @x \"a\" \"c\"))") == "ac");
    CHECK(names("((identifier) @x (#match? @x \"^[bc]$\"))") == "bc");
    CHECK(names("((identifier) @x (#not-match? @x \"^[bc]$\"))") == "a");
    CHECK(names("((identifier) @x (#set! priority 90))") == "abc");
    CHECK(names("(variable_declarator name: (_) @x (#kind-eq? @x \"identifier\"))") == "abc");
    CHECK(names("(variable_declarator name: (_) @x (#not-kind-eq? @x \"identifier\"))") == "");
    CHECK_THROWS_AS(Query("(no_such_node) @x"), std::runtime_error);
    CHECK_THROWS_AS(Query("((identifier) @x (#lua-match? @x \"%a\"))"), std::runtime_error);
}
