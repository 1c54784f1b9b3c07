// The trees of tests/grammar/corpus, without the tree-sitter command line, and our shaders: no
// errors in them.

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "rewriter/grammar/slang_language.h"
#include "tests/grammar/corpus_file.h"
#include "tests/grammar/inputs.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using namespace slimgrad::tests;

namespace {

std::string tree_text(TSNode root) {
    std::unique_ptr<char, decltype(&std::free)> text(ts_node_string(root), std::free);
    return text.get();
}

} // namespace

TEST_CASE("the corpus format") {
    auto tests =
        read_corpus("===\none\n===\na\n\nb\n---\n(x\n  y: (z))\n\n===\ntwo\n===\nc\n---\n(w)\n");
    REQUIRE(tests.size() == 2);
    CHECK(tests[0].title == "one");
    CHECK(tests[0].source == "a\n\nb\n");
    CHECK(tests[0].tree == "(x y: (z))");
    CHECK(tests[1].tree == "(w)");
}

TEST_CASE("the grammar is one that the installed tree-sitter reads") {
    CHECK(ts_language_version(tree_sitter_slang()) == 14);
}

TEST_CASE("corpus") {
    auto files = files_below(SLIMGRAD_GRAMMAR_CORPUS, {".txt"});
    for (const fs::path& file : files) {
        auto tests = read_corpus(read_text(file));
        REQUIRE(!tests.empty());
        for (const CorpusTest& test : tests) {
            CAPTURE(file.filename().string());
            CAPTURE(test.title);
            CHECK(tree_text(parse(test.source).root()) == test.tree);
        }
    }
}

TEST_CASE("our shaders parse without errors") {
    auto files = files_below(SLIMGRAD_SHADER_CORPUS, {".slang", ".slangh"});
    for (const fs::path& file : files) {
        CAPTURE(file.string());
        CHECK_FALSE(ts_node_has_error(parse(read_text(file)).root()));
    }
}
