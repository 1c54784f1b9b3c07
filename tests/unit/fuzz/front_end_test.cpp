#include "tests/fuzz/front_end/mutator.h"
#include "tests/fuzz/front_end/patch.h"
#include "tests/fuzz/front_end/properties.h"
#include "tests/fuzz/front_end/property.h"

#include "rewriter/atomic_write.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <vector>

using namespace slimgrad::front_end;

namespace {

/// All shaders of the repository, by path.
std::vector<std::string> shaders(const std::string& folder) {
    std::vector<std::string> paths;
    const std::filesystem::path top = std::filesystem::path(SLIMGRAD_SOURCE_DIR) / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top)) {
        if (entry.is_regular_file())
            paths.push_back(entry.path().string());
    }
    REQUIRE_FALSE(paths.empty());
    return paths;
}

std::string read(const std::string& path) {
    const auto text = slimgrad::read_file(path);
    REQUIRE_MESSAGE(text, path);
    return *text;
}

} // namespace

TEST_SUITE("fuzz/front_end") {
    TEST_CASE("inputs that broke a property once") {
        for (const std::string& path : shaders("tests/fuzz/front_end/found")) {
            CAPTURE(path);
            CHECK(broken_property(read(path)) == "");
        }
    }

    TEST_CASE("the corpus, as it is and after some mutations") {
        for (const std::string& path : shaders("tests/inputs/kernels")) {
            CAPTURE(path);
            std::string text = read(path);
            CHECK(broken_property(text) == "");
            for (std::uint64_t seed = 0; seed < 10; ++seed) {
                text = mutate_syntax(text, text, seed, 20'000);
                CAPTURE(text);
                CHECK(broken_property(text) == "");
            }
        }
    }

    TEST_CASE("bytes between which nothing may be cut") {
        const std::string text = "a\r\nb\xC3\xA9\xE2\x82\xAC\xF0\x9F\x8E\xA8\xC3\r";
        std::string cuts;
        for (std::uint32_t i = 0; i <= text.size(); ++i)
            cuts += splits_character(text, i) ? '-' : '|';
        CHECK(cuts == "||-||-|--|---|||"); // the last C3 begins no character
    }

    TEST_CASE("a patch is applied, or refused where it does not fit") {
        const std::string diff = "--- a\n+++ b\n@@ -2,2 +2,3 @@\n two\n+and a half\n three\n";
        CHECK(apply_patch("one\ntwo\nthree\n", diff) == "one\ntwo\nand a half\nthree\n");
        CHECK_FALSE(apply_patch("one\n2\nthree\n", diff));
        CHECK_FALSE(apply_patch("one\n", diff));
        CHECK(apply_patch("a", "--- a\n+++ b\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n") ==
              "b\n");
        CHECK(apply_patch("", "--- a\n+++ b\n@@ -0,0 +1 @@\n+b\n") == "b\n");
    }

    TEST_CASE("mutations depend on their seed alone, and differ") {
        const std::string text = "float f(float x) { return x * 2.0; }\n";
        int different = 0;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const std::string mutated = mutate_syntax(text, text, seed, 1000);
            CHECK(mutated == mutate_syntax(text, text, seed, 1000));
            different += mutated != text;
        }
        CHECK(different > 10);
        CHECK(mutate_syntax(text, text, 1, 5).size() <= 5);
    }
}
