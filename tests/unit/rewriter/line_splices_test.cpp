#include "rewriter/line_splices.h"

#include <doctest/doctest.h>

using namespace slimgrad;

TEST_SUITE("line splices") {
    TEST_CASE("only a backslash at the very end of a line") {
        CHECK(splice_length("\\\n", 0) == 2);
        CHECK(splice_length("\\\r", 0) == 2);
        CHECK(splice_length("\\\r\n", 0) == 3);
        CHECK(splice_length("\\ \n", 0) == 0);
        CHECK(splice_length("\\", 0) == 0);
        CHECK(without_splices("Max\\\nIters\\\r\n(4\\)") == "MaxIters(4\\)");
    }

    TEST_CASE("every byte knows its place") {
        const std::string text = "ab\\\n\\\r\nc\rd\r\n";
        const SplicedText spliced(text);
        CHECK(spliced.text() == "abc\nd\r\n");
        CHECK(spliced.in_file(0, 1) == ByteRange{0, 1});
        CHECK(spliced.in_file(1, 2) == ByteRange{1, 7}); // with the splices that follow
        CHECK(spliced.in_file(2, 7) == ByteRange{7, std::uint32_t(text.size())});
        CHECK(SplicedText("ab\r\n").in_file(1, 4) == ByteRange{1, 4});
    }
}
