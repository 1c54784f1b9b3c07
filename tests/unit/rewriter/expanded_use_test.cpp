#include "rewriter/expanded_use.h"

#include "rewriter/syntax_node.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;

namespace {

ByteRange find(std::string_view whole, std::string_view part, std::size_t from = 0) {
    const auto begin = whole.find(part, from);
    REQUIRE(begin != std::string_view::npos);
    return {std::uint32_t(begin), std::uint32_t(begin + part.size())};
}

bool begins(std::string_view expansion) {
    return ExpandedUse::as_statement(0, {0, 4}, "M(i)", expansion).has_value();
}

} // namespace

TEST_SUITE("rewriter/expanded_use") {
    TEST_CASE("what begins a statement") {
        CHECK(begins("for (int i = 0; i < 4; i++)"));
        CHECK(begins("[MaxIters(4)] for (;;)"));
        CHECK(begins("for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++)"));
        CHECK(begins("while (x)"));
        CHECK(begins("$for (i in Range(0, 4))"));
        CHECK(begins("if (x)"));
        CHECK(begins("if (x) a = 1; else"));
        CHECK(begins("for (;;) if (x)"));
    }

    TEST_CASE("what is complete, or no begin of one statement") {
        CHECK_FALSE(begins("for (;;) x++;"));
        CHECK_FALSE(begins("for (;;) x++"));
        CHECK_FALSE(begins("x = 1; for (;;)"));
        CHECK_FALSE(begins("do"));
        CHECK_FALSE(begins("for (;;) {"));
        CHECK_FALSE(begins("} for (;;)"));
        CHECK_FALSE(begins(""));
        CHECK_FALSE(begins("float"));
        CHECK_FALSE(begins("[Differentiable]"));
        CHECK_FALSE(begins("return 1; }"));
    }

    TEST_CASE("places are those of the arguments, else the use") {
        const std::string source = "EACH(i, f(n) + 1, p.x)";
        const auto read = ExpandedUse::as_statement(
            7, {100, 122}, source, "for (int i = 0; i < (f(n) + 1) && x < 1; i += p.x)");
        REQUIRE(read);
        const ExpandedUse& use = *read;
        CHECK(use.file() == 7);
        CHECK(use.name() == "EACH");
        const auto place = [&](std::string_view part) {
            const ByteRange found = use.in_file(find(use.text(), part, 10));
            return found == use.use() ? "use"
                                      : source.substr(found.begin - 100, found.end - found.begin);
        };
        // The `(f(n) + 1)` of the head is none: the parentheses are the macro's.
        CHECK(place("f(n) + 1") == "f(n) + 1");
        CHECK(place("f(n)") == "f(n)");
        CHECK(place("p.x") == "p.x");
        CHECK(place("x < 1") == "use");
        CHECK(place("= 0") == "use");
        // `x` alone is not the member of p, nor is `i` a part of another word.
        CHECK(use.in_file(find(use.text(), "x < 1")) == use.use());
        const ByteRange x = find(use.text(), "x < 1");
        CHECK(use.in_file({x.begin, x.begin + 1}) == use.use());
        CHECK(use.in_file(find(use.text(), "i = 0")) == use.use());
        const ByteRange i = find(use.text(), "i = 0");
        CHECK(use.in_file({i.begin, i.begin + 1}) == ByteRange{105, 106});
        const ByteRange call = find(use.text(), "f(n)");
        CHECK(use.in_file(call, call.begin + 1) == 100 + source.find("(n)"));
        CHECK(use.own_calls() == 0);
    }

    TEST_CASE("what is a part of an argument has its place there") {
        const std::string source = "EACH(n, f(n))";
        const auto read = ExpandedUse::as_statement(0, {0, 13}, source, "while (n < f(n))");
        REQUIRE(read);
        const ByteRange call = find(read->text(), "f(n)", 20);
        CHECK(read->in_file(call) == ByteRange{8, 12});
        CHECK(read->in_file({call.begin + 2, call.begin + 3}) == ByteRange{10, 11});
        const ByteRange name = find(read->text(), "n <");
        CHECK(read->in_file({name.begin, name.begin + 1}) == ByteRange{5, 6});
    }

    TEST_CASE("expressions") {
        const auto of = [](std::string_view expansion) {
            return ExpandedUse::as_expression(0, {0, 4}, "M(i)", expansion);
        };
        const auto call = of("bwd_diff(i)(x, 1)");
        REQUIRE(call);
        CHECK(call->statement().is("expression_statement"));
        CHECK(call->own_calls() == 1);
        CHECK_FALSE(of("x; y").has_value());
        CHECK_FALSE(of("float x").has_value());
        CHECK_FALSE(of("").has_value());
        CHECK_FALSE(of("return x").has_value());
    }

    TEST_CASE("each loop has a keyword of its own; calls of the macro's own are counted") {
        const auto read = ExpandedUse::as_statement(
            0, {50, 60}, "GRID(i, j)",
            "for (int i = 0; i < g(1); i++) for (int j = 0; j < min(i, g(2)); j++)");
        REQUIRE(read);
        const ExpandedUse& use = *read;
        const auto first = find(use.text(), "for (int i").begin,
                   second = find(use.text(), "for (int j").begin;
        CHECK(use.keyword_in_file(first) == 50);
        CHECK(use.keyword_in_file(second) == 51);
        CHECK(use.own_calls() == 3);
        CHECK(use.statement().is("for_statement"));
        CHECK_FALSE(use.is_open_body(use.statement().range()));
        CHECK(use.is_open_body(find(use.text(), "{}")));
    }
}
