#include "plugin/cli/placed_lines.h"

#include <doctest/doctest.h>

using namespace slimgrad;

TEST_SUITE("cli/placed_lines") {
    TEST_CASE("places of a block are equally wide, paths relative to the folder") {
        PlacedLines lines("/p");
        lines.add({"/p/a.slang", 9, 5}, 0, "loop");
        lines.add({"/p/a.slang", 10, 14}, 1, "call");
        lines.add({"/q/b.slang", 1, 1}, 0, "elsewhere");
        lines.add({}, 0, "nowhere");
        CHECK(lines.take() == "a.slang:9:5:    loop\n"
                              "a.slang:10:14:    call\n"
                              "/q/b.slang:1:1: elsewhere\n"
                              "                nowhere\n");
        lines.add({"/p/a.slang", 1, 1}, 0, "next block");
        CHECK(lines.take() == "a.slang:1:1: next block\n");
        CHECK(lines.take().empty());
    }

    TEST_CASE("text of shaders does not reach the terminal as control characters") {
        PlacedLines lines("/p");
        lines.add({"/p/\x1b.slang", 1, 1}, 0, "\x1b[2J");
        CHECK(lines.take() == "\\x1b.slang:1:1: \\x1b[2J\n");
    }
}
