#include "plugin/verify/source_tokens.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

/// The tokens, each between bars.
std::string tokens(std::string_view text) {
    std::string result = "|";
    for (const SourceToken& token : source_tokens(text, {0, std::uint32_t(text.size())})) {
        CHECK(text.substr(token.range.begin, token.range.end - token.range.begin) == token.text);
        result += std::string(token.text) + "|";
    }
    return result;
}

} // namespace

TEST_CASE("tokens: names, numbers, punctuation") {
    CHECK(tokens("float3 x=y*1.5f;") == "|float3|x|=|y|*|1.5f|;|");
    CHECK(tokens("a.x-1e-3+.5*1.") == "|a|.|x|-|1e-3|+|.5|*|1.|");
    CHECK(tokens("1.xxx 1.0.xx 1.e3 1.f 2.half") == "|1|.|xxx|1.0|.|xx|1.e3|1.f|2|.|half|");
    CHECK(tokens("0xe-1 0x1.8p-3 0xffu 1e+5l") == "|0xe|-|1|0x1.8p-3|0xffu|1e+5l|");
    CHECK(tokens("a##b a[1]..") == "|a|##|b|a|[|1|]|.|.|");
}

TEST_CASE("tokens: comments, strings and odd ends") {
    CHECK(tokens("a // float\nb /* half */ c") == "|a|b|c|");
    CHECK(tokens("f(\"float \\\" half\", 'f') /* open") == "|f|(|,|)|");
    CHECK(tokens("\"not closed") == "|");
    CHECK(tokens("x \\\n y") == "|x|y|");
    CHECK(tokens("") == "|");
    CHECK(tokens("\xEF\xBB\xBF"
                 "a")
              .ends_with("|a|"));
    CHECK(source_tokens("aa bb cc", {3, 5}).size() == 1);
}

TEST_CASE("tokens: which numbers are floating-point literals") {
    for (const char* number :
         {"1.0", "1.", ".5", "1e3", "1.0f", "2.5h", "1E-3F", "0x1.8p3", "1.0l"})
        CHECK(is_float_literal(number));
    for (const char* number : {"1", "0xe1", "12u", "0x1F", "1L"})
        CHECK_FALSE(is_float_literal(number));
}
