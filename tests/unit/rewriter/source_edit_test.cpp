#include "rewriter/source_edit.h"

#include <doctest/doctest.h>

using slimgrad::apply_edits;
using slimgrad::FileTexts;
using slimgrad::insert_line_above;
using slimgrad::overlap;
using slimgrad::SourceEdit;
using slimgrad::SourceFile;

namespace {

/// The text of "a" after the edits, or the error's message.
std::string applied(const std::string& text, const std::vector<SourceEdit>& edits) {
    const auto result = apply_edits({{"a", text}}, edits);
    if (!result)
        return "error: " + to_string(result.error());
    return result->contains("a") ? result->at("a") : "unchanged";
}

std::string with_line_above(const std::string& text, std::size_t offset) {
    return applied(text, {insert_line_above(SourceFile("a", text),
                                            static_cast<std::uint32_t>(offset), "[X]")});
}

} // namespace

TEST_CASE("source_edit: insertions and replacements") {
    CHECK(applied("float f();", {{"a", {0, 0}, "[Differentiable] "}}) ==
          "[Differentiable] float f();");
    CHECK(applied("0123456789", {{"a", {8, 10}, "Y"}, {"a", {2, 4}, "XXX"}, {"a", {5, 6}, ""}}) ==
          "01XXX467Y");
    CHECK(applied("", {{"a", {0, 0}, "x"}}) == "x");
}

TEST_CASE("source_edit: an equal edit is applied once") {
    CHECK(applied("ab", {{"a", {1, 1}, "x"}, {"a", {1, 1}, "x"}}) == "axb");
    CHECK(applied("ab", {{"a", {0, 1}, "x"}, {"a", {0, 1}, "x"}}) == "xb");
}

TEST_CASE("source_edit: insertions at one offset keep their order") {
    CHECK(applied("ab", {{"a", {1, 1}, "2"}, {"a", {1, 1}, "1"}}) == "a21b");
}

TEST_CASE("source_edit: an insertion may touch a replacement") {
    CHECK(applied("abc", {{"a", {1, 2}, "X"}, {"a", {1, 1}, "<"}, {"a", {2, 2}, ">"}}) == "a<X>c");
}

TEST_CASE("source_edit: adjacent replacements do not overlap") {
    CHECK(applied("abcd", {{"a", {2, 3}, "Y"}, {"a", {1, 2}, "X"}}) == "aXYd");
}

TEST_CASE("source_edit: overlapping edits are an error that names the place") {
    CHECK(applied("ab\ncdef", {{"a", {3, 5}, "x"}, {"a", {4, 6}, "y"}}) ==
          "error: a:2:2: two edits overlap here");
    CHECK(applied("abcdef", {{"a", {1, 3}, "x"}, {"a", {1, 3}, "y"}}).starts_with("error: a:1:2"));
    CHECK(applied("abcdef", {{"a", {1, 4}, "x"}, {"a", {2, 2}, "y"}}).starts_with("error: a:1:3"));
    CHECK(applied("abcdef", {{"a", {0, 6}, "x"}, {"a", {0, 2}, "y"}}).starts_with("error: a:1:1"));
}

TEST_CASE("source_edit: a range outside the text is an error") {
    CHECK(applied("ab", {{"a", {1, 3}, "x"}}) ==
          "error: a: edit of bytes 1 to 3 is outside the file (2 bytes)");
    CHECK(applied("ab", {{"a", {2, 1}, "x"}}).starts_with("error: a: edit of bytes 2 to 1"));
}

TEST_CASE("source_edit: only changed files are returned") {
    const FileTexts texts{{"a", "aa"}, {"b", "bb"}, {"c", "cc"}};
    const auto result = apply_edits(texts, {{"b", {0, 1}, "X"}, {"c", {0, 1}, "c"}});
    REQUIRE(result);
    CHECK(*result == FileTexts{{"b", "Xb"}});
}

TEST_CASE("source_edit: a file that was not read is an error") {
    const auto result = apply_edits({{"a", "aa"}}, {{"b", {0, 1}, "X"}});
    REQUIRE_FALSE(result);
    CHECK(to_string(result.error()) == "b: edit of a file that was not read");
}

TEST_CASE("source_edit: overlap agrees with apply_edits on all pairs of small edits") {
    std::vector<SourceEdit> edits;
    for (std::uint32_t begin = 0; begin <= 4; ++begin)
        for (std::uint32_t end = begin; end <= 4; ++end)
            for (const char* text : {"x", "y"})
                edits.push_back({"a", {begin, end}, text});
    for (const SourceEdit& a : edits)
        for (const SourceEdit& b : edits) {
            CAPTURE(a.range.begin);
            CAPTURE(a.range.end);
            CAPTURE(b.range.begin);
            CAPTURE(b.range.end);
            CHECK(overlap(a, b) == applied("abcd", {a, b}).starts_with("error"));
            CHECK(overlap(a, b) == overlap(b, a));
        }
    CHECK_FALSE(overlap({"a", {0, 2}, "x"}, {"b", {0, 2}, "y"}));
}

TEST_CASE("source_edit: a line above takes the indentation and the line ending") {
    CHECK(with_line_above("for (;;)\n", 0) == "[X]\nfor (;;)\n");
    CHECK(with_line_above("{\n    for (;;)\n}\n", 6) == "{\n    [X]\n    for (;;)\n}\n");
    CHECK(with_line_above("{\r\n\t for (;;)\r\n}", 5) == "{\r\n\t [X]\r\n\t for (;;)\r\n}");
    CHECK(with_line_above("{\n  for", 4) == "{\n  [X]\n  for");
    CHECK(with_line_above("a;\n", 3) == "a;\n[X]\n");
    CHECK(with_line_above("", 0) == "[X]\n");
}

TEST_CASE("source_edit: a line above the first line stays behind the byte order mark") {
    CHECK(with_line_above("\xEF\xBB\xBF"
                          "for (;;)\n",
                          3) == "\xEF\xBB\xBF[X]\nfor (;;)\n");
    CHECK(with_line_above("\xEF\xBB\xBF"
                          "for (;;)\n",
                          0) == "\xEF\xBB\xBF[X]\nfor (;;)\n");
}

TEST_CASE("source_edit: behind other code on the line it is inserted in place") {
    CHECK(with_line_above("void f() { for (;;) ; }\n", 11) == "void f() { [X] for (;;) ; }\n");
    CHECK(with_line_above("/* c */ for (;;)\n", 8) == "/* c */ [X] for (;;)\n");
}
