// The trees of tests/grammar/corpus, without the tree-sitter command line, and our shaders: no
// errors in them.

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "rewriter/grammar/slang_language.h"
#include "tests/grammar/corpus_file.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;
using slimgrad::tests::CorpusTest;
using slimgrad::tests::read_corpus;

namespace {

std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    REQUIRE(in);
    return std::string(std::istreambuf_iterator<char>(in), {});
}

using Tree = std::unique_ptr<TSTree, decltype(&ts_tree_delete)>;

Tree parse(std::string_view source) {
    std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(),
                                                                  ts_parser_delete);
    REQUIRE(ts_parser_set_language(parser.get(), tree_sitter_slang()));
    return Tree(ts_parser_parse_string(parser.get(), nullptr, source.data(),
                                       static_cast<std::uint32_t>(source.size())),
                ts_tree_delete);
}

std::string tree_text(const Tree& tree) {
    std::unique_ptr<char, decltype(&std::free)> text(ts_node_string(ts_tree_root_node(tree.get())),
                                                     std::free);
    return text.get();
}

std::vector<fs::path> files_below(const fs::path& folder,
                                  const std::vector<std::string>& extensions) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        for (const std::string& extension : extensions)
            if (entry.is_regular_file() && entry.path().extension() == extension)
                files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
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
    REQUIRE(!files.empty());
    for (const fs::path& file : files) {
        auto tests = read_corpus(read(file));
        REQUIRE(!tests.empty());
        for (const CorpusTest& test : tests) {
            CAPTURE(file.filename().string());
            CAPTURE(test.title);
            CHECK(tree_text(parse(test.source)) == test.tree);
        }
    }
}

TEST_CASE("our shaders parse without errors") {
    auto files = files_below(SLIMGRAD_SHADER_CORPUS, {".slang", ".slangh"});
    REQUIRE(!files.empty());
    for (const fs::path& file : files) {
        CAPTURE(file.string());
        CHECK_FALSE(ts_node_has_error(ts_tree_root_node(parse(read(file)).get())));
    }
}
