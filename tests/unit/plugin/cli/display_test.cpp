#include "plugin/cli/display.h"

#include <doctest/doctest.h>

using slimgrad::display_path;
using slimgrad::printable;
using slimgrad::Severity;
using slimgrad::Style;

TEST_CASE("paths below the current folder are shown relative to it") {
    CHECK(display_path("/p/a/x.slang", "/p") == "a/x.slang");
    CHECK(display_path("/p/x.slang", "/p") == "x.slang");
    CHECK(display_path("/q/x.slang", "/p") == "/q/x.slang");
    CHECK(display_path("/pq/x.slang", "/p") == "/pq/x.slang");
    CHECK(display_path("x.slang", "/p") == "x.slang");
    CHECK(display_path("", "/p").empty());
}

TEST_CASE("control characters do not reach the terminal") {
    CHECK(printable("a\x1b[31mb\x7f\r") == "a\\x1b[31mb\\x7f\\x0d");
    CHECK(printable("tab\tline\n\xc3\xa9") == "tab\tline\n\xc3\xa9");
}

TEST_CASE("without colour no style is written") {
    const Style plain;
    CHECK(plain.bold().empty());
    CHECK(plain.severity(Severity::error).empty());
    CHECK(plain.reset().empty());
    CHECK(Style{true}.severity(Severity::error) != Style{true}.severity(Severity::note));
}
