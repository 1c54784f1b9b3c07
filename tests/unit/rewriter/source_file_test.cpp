#include "rewriter/source_file.h"

#include <doctest/doctest.h>

using slimgrad::Place;
using slimgrad::SourceFile;

TEST_CASE("source_file: lines and columns count from 1") {
    const SourceFile file("a.slang", "ab\ncd\n");
    CHECK(file.place(0) == Place{"a.slang", 1, 1});
    CHECK(file.place(1) == Place{"a.slang", 1, 2});
    CHECK(file.place(2) == Place{"a.slang", 1, 3});
    CHECK(file.place(3) == Place{"a.slang", 2, 1});
    CHECK(file.place(6) == Place{"a.slang", 3, 1});
    CHECK(file.place(99) == Place{"a.slang", 3, 1});
}

TEST_CASE("source_file: offset is the inverse of place") {
    const std::string text = "\xEF\xBB\xBF"
                             "float a;\r\n\tint b; // \xC3\xA9 \xF0\x9F\x98\x80\n\n\xFF;\nend";
    const SourceFile file("a.slang", text);
    for (std::uint32_t i = 3; i < text.size(); ++i) {
        if (text[i] == '\n')
            continue; // may be the second byte of a line break
        const Place place = file.place(i);
        CHECK(file.offset(place.line, place.column) == i);
    }
}

TEST_CASE("source_file: columns count bytes") {
    const SourceFile file("a.slang", "a; /* \xC3\xA9 */ b;\n");
    CHECK(file.place(12).column == 13);
    CHECK(file.offset(1, 13) == 12);
}

TEST_CASE("source_file: a byte order mark is not counted") {
    const SourceFile file("a.slang", "\xEF\xBB\xBFint a;\n");
    CHECK(file.place(0) == Place{"a.slang", 1, 1});
    CHECK(file.place(3) == Place{"a.slang", 1, 1});
    CHECK(file.offset(1, 1) == 3);
    CHECK(file.line_start(5) == 3);
    CHECK(file.line_start(1) == 3);
}

TEST_CASE("source_file: line breaks are those of slangc") {
    // The lines slangc 2026.14.1 gives to what follows each break.
    const SourceFile file("a.slang", "a\nb\r\nc\rd\n\re\n\r\nf\r\r\ng\n\n\rh");
    const std::string& text = file.text();
    const std::pair<char, std::uint32_t> expected[] = {{'a', 1}, {'b', 2}, {'c', 3}, {'d', 4},
                                                       {'e', 5}, {'f', 7}, {'g', 9}, {'h', 11}};
    for (const auto& [letter, line] : expected) {
        const auto offset = static_cast<std::uint32_t>(text.find(letter));
        CHECK(file.place(offset) == Place{"a.slang", line, 1});
        CHECK(file.offset(line, 1) == offset);
    }
}

TEST_CASE("source_file: positions outside the text are clamped") {
    const SourceFile file("a.slang", "ab\r\ncd");
    CHECK(file.offset(1, 99) == 2); // before the line break
    CHECK(file.offset(2, 99) == 6);
    CHECK(file.offset(99, 1) == 6);
    CHECK(file.offset(0, 0) == 0);
    CHECK(file.slice({4, 99}) == "cd");
    CHECK(file.slice({99, 4}).empty());
    const SourceFile empty("a.slang", "");
    CHECK(empty.place(0) == Place{"a.slang", 1, 1});
    CHECK(empty.offset(1, 1) == 0);
}

TEST_CASE("source_file: line ending is that of the first line") {
    CHECK(SourceFile("a", "a\r\nb\n").line_ending() == "\r\n");
    CHECK(SourceFile("a", "a\nb\r\n").line_ending() == "\n");
    CHECK(SourceFile("a", "\n").line_ending() == "\n");
    CHECK(SourceFile("a", "").line_ending() == "\n");
    CHECK(SourceFile("a", "no end").line_ending() == "\n");
}
