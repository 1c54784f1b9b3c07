#include "plugin/slang/byte_column.h"

#include <doctest/doctest.h>

namespace slimgrad::slang_plugin {

TEST_CASE("columns in characters become columns in bytes") {
    const std::string_view text = "ab\r\n\xC3\xA9x\xE2\x82\xACy\nz\rq\xFFr";
    CHECK(byte_column(text, 1, 2) == 2);
    CHECK(byte_column(text, 2, 1) == 1);
    CHECK(byte_column(text, 2, 2) == 3);
    CHECK(byte_column(text, 2, 3) == 4);
    CHECK(byte_column(text, 2, 4) == 7);
    CHECK(byte_column(text, 3, 1) == 1);
    CHECK(byte_column(text, 4, 3) == 3);
    CHECK(byte_column(text, 9, 5) == 5); // not in this text
}

TEST_CASE("a byte order mark is not counted") {
    CHECK(byte_column("\xEF\xBB\xBF"
                      "abc",
                      1, 3) == 3);
}

} // namespace slimgrad::slang_plugin
