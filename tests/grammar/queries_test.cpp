// The queries of rewriter/grammar/queries, without the tree-sitter command line: that they compile,
// that no pattern is dead, and that nothing of a shader is left without a colour.

#include "rewriter/grammar/slang_language.h"
#include "tests/grammar/corpus_file.h"
#include "tests/grammar/editor_view.h"
#include "tests/grammar/inputs.h"
#include "tests/grammar/query.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using namespace slimgrad::tests;

namespace {

Query query(const std::string& name) {
    return Query(read_text(fs::path(SLIMGRAD_GRAMMAR_QUERIES) / (name + ".scm")));
}

/// The texts that the queries are tried on: our shaders, the corpus tests of the grammar, the tests
/// beside this file.
std::vector<std::string> inputs() {
    std::vector<std::string> texts;
    for (const fs::path& file : files_below(SLIMGRAD_SHADER_CORPUS, {".slang", ".slangh"}))
        texts.push_back(read_text(file));
    for (const fs::path& file : files_below(SLIMGRAD_GRAMMAR_TESTS, {".slang"}))
        texts.push_back(read_text(file));
    for (const fs::path& file : files_below(SLIMGRAD_GRAMMAR_CORPUS, {".txt"}))
        for (const CorpusTest& test : read_corpus(read_text(file)))
            texts.push_back(test.source);
    return texts;
}

void for_each_leaf(TSNode node, const std::function<void(TSNode)>& use) {
    std::uint32_t count = ts_node_child_count(node);
    if (count == 0)
        use(node);
    for (std::uint32_t i = 0; i < count; ++i)
        for_each_leaf(ts_node_child(node, i), use);
}

const std::vector<std::string> all_queries = {"highlights", "injections", "locals",     "tags",
                                              "folds",      "indents",    "textobjects"};

} // namespace

TEST_CASE("queries: every one compiles and has no pattern that matches nothing") {
    std::vector<Parsed> parsed;
    for (std::string& text : inputs())
        parsed.push_back(parse(std::move(text)));
    for (const std::string& name : all_queries) {
        CAPTURE(name);
        Query each = query(name);
        std::vector<bool> matched(each.pattern_count());
        for (const Parsed& input : parsed)
            for (const Match& match : each.matches(input.root(), input.source))
                matched[match.pattern] = true;
        for (std::uint32_t pattern = 0; pattern < each.pattern_count(); ++pattern) {
            CAPTURE(each.line_of(pattern));
            CHECK(matched[pattern]);
        }
    }
}

TEST_CASE("queries: the names of the captures are those that editors know") {
    const std::map<std::string, std::set<std::string>> known = {
        {"highlights",
         {"attribute",
          "attribute.builtin",
          "boolean",
          "character",
          "comment",
          "comment.documentation",
          "constant",
          "constant.builtin",
          "constructor",
          "function",
          "function.builtin",
          "function.call",
          "function.macro",
          "function.method",
          "function.method.call",
          "keyword",
          "keyword.conditional",
          "keyword.directive",
          "keyword.directive.define",
          "keyword.exception",
          "keyword.function",
          "keyword.import",
          "keyword.modifier",
          "keyword.operator",
          "keyword.repeat",
          "keyword.return",
          "keyword.type",
          "label",
          "module",
          "number",
          "number.float",
          "operator",
          "punctuation.bracket",
          "punctuation.delimiter",
          "string",
          "string.special",
          "type",
          "type.builtin",
          "type.definition",
          "variable",
          "variable.builtin",
          "variable.member",
          "variable.parameter"}},
        {"injections", {"injection.content"}},
        {"locals", {"local.definition", "local.reference", "local.scope"}},
        {"tags",
         {"name", "definition.class", "definition.constant", "definition.enum", "definition.field",
          "definition.function", "definition.interface", "definition.method", "definition.module",
          "definition.type", "definition.variable", "reference.call", "reference.implementation",
          "reference.type"}},
        {"folds", {"fold"}},
        {"indents",
         {"indent.auto", "indent.begin", "indent.branch", "indent.end", "indent.ignore",
          "indent.zero"}},
        {"textobjects",
         {"attribute.inner", "attribute.outer", "call.inner", "call.outer", "class.inner",
          "class.outer", "comment.inner", "comment.outer", "conditional.inner", "conditional.outer",
          "entry.inner", "function.inner", "function.outer", "loop.inner", "loop.outer",
          "parameter.inner"}}};
    for (const std::string& name : all_queries)
        for (const std::string& capture : query(name).capture_names()) {
            CAPTURE(name);
            CAPTURE(capture);
            CHECK(known.at(name).contains(capture));
        }
}

TEST_CASE("helix.sed makes queries with the names that Helix knows") {
    const std::map<std::string, std::set<std::string>> known = {
        {"highlights",
         {"attribute",
          "comment",
          "comment.block.documentation",
          "constant",
          "constant.builtin",
          "constant.builtin.boolean",
          "constant.character",
          "constant.numeric.float",
          "constant.numeric.integer",
          "constructor",
          "function",
          "function.builtin",
          "function.macro",
          "function.method",
          "keyword",
          "keyword.control.conditional",
          "keyword.control.exception",
          "keyword.control.import",
          "keyword.control.repeat",
          "keyword.control.return",
          "keyword.directive",
          "keyword.function",
          "keyword.operator",
          "keyword.storage.modifier",
          "keyword.storage.type",
          "label",
          "namespace",
          "operator",
          "punctuation.bracket",
          "punctuation.delimiter",
          "string",
          "string.special",
          "type",
          "type.builtin",
          "variable",
          "variable.builtin",
          "variable.other.member",
          "variable.parameter"}},
        {"injections", {"injection.content"}},
        {"locals",
         {"local.definition.constant", "local.definition.type", "local.definition.variable",
          "local.definition.variable.parameter", "local.reference", "local.scope"}},
        {"indents", {"indent", "outdent"}},
        {"textobjects",
         {"attribute.inside", "attribute.around", "call.inside", "call.around", "class.inside",
          "class.around", "comment.inside", "comment.around", "conditional.inside",
          "conditional.around", "entry.inside", "function.inside", "function.around", "loop.inside",
          "loop.around", "parameter.inside"}}};
    for (const auto& [name, captures] : known) {
        CAPTURE(name);
        fs::path folder(SLIMGRAD_GRAMMAR_QUERIES);
        std::string command = "sed -f '" + (folder / "helix.sed").string() + "' '" +
                              (folder / (name + ".scm")).string() + "'";
        FILE* output = popen(command.c_str(), "r");
        REQUIRE(output);
        std::string text;
        for (int c = 0; (c = std::fgetc(output)) != EOF;)
            text += static_cast<char>(c);
        REQUIRE(pclose(output) == 0);
        std::vector<std::string> found = Query(text).capture_names();
        CHECK(std::set<std::string>(found.begin(), found.end()) == captures);
    }
}

TEST_CASE("the node kinds and fields that the grammar's README names are the grammar's") {
    std::string text = read_text(fs::path(SLIMGRAD_GRAMMAR_QUERIES).parent_path() / "README.md");
    std::size_t start = text.find("## Node kinds"), end = text.find("## Queries");
    REQUIRE(start < end);
    REQUIRE(end != std::string::npos);
    std::string section = text.substr(start, end - start);
    std::regex name("`([a-z_]+)`");
    std::size_t count = 0;
    for (std::sregex_iterator each(section.begin(), section.end(), name), last; each != last;
         ++each, ++count) {
        std::string word = each->str(1);
        CAPTURE(word);
        bool field = ts_language_field_id_for_name(tree_sitter_slang(), word.data(),
                                                   static_cast<std::uint32_t>(word.size())) != 0;
        if (!field)
            CHECK_NOTHROW(Query("(" + word + ") @kind"));
    }
    CHECK(count > 30);
}

TEST_CASE("queries: every token has a colour") {
    Query highlights = query("highlights"), locals = query("locals");
    for (std::string& text : inputs()) {
        Parsed parsed = parse(std::move(text));
        if (ts_node_has_error(parsed.root()))
            continue;
        std::vector<std::string> colour = colours(parsed, highlights, locals);
        for_each_leaf(parsed.root(), [&](TSNode leaf) {
            if (ts_node_start_byte(leaf) == ts_node_end_byte(leaf) ||
                ts_node_start_byte(leaf) >= colour.size())
                return;
            CAPTURE(std::string(text_of(leaf, parsed.source)));
            CAPTURE(std::string(ts_node_type(leaf)));
            CHECK(!colour[ts_node_start_byte(leaf)].empty());
        });
    }
}
