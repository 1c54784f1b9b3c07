// The queries of rewriter/grammar/queries, without the tree-sitter command line: that they compile,
// what they capture, and that nothing of a shader is left without a colour.

#include "rewriter/grammar/slang_language.h"
#include "tests/grammar/assertions.h"
#include "tests/grammar/corpus_file.h"
#include "tests/grammar/locals.h"
#include "tests/grammar/query.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using namespace slimgrad::tests;

namespace {

std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    REQUIRE(in);
    return std::string(std::istreambuf_iterator<char>(in), {});
}

std::vector<fs::path> files_in(const fs::path& folder, const std::string& extension) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == extension)
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    REQUIRE(!files.empty());
    return files;
}

Query query(const std::string& name) {
    return Query(read(fs::path(SLIMGRAD_GRAMMAR_QUERIES) / (name + ".scm")));
}

struct Parsed {
    std::string source;
    std::unique_ptr<TSTree, decltype(&ts_tree_delete)> tree;

    TSNode root() const { return ts_tree_root_node(tree.get()); }
};

Parsed parse(std::string source) {
    std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(),
                                                                  ts_parser_delete);
    REQUIRE(ts_parser_set_language(parser.get(), tree_sitter_slang()));
    TSTree* tree = ts_parser_parse_string(parser.get(), nullptr, source.data(),
                                          static_cast<std::uint32_t>(source.size()));
    return {std::move(source), {tree, ts_tree_delete}};
}

/// The texts that the queries are tried on: our shaders, the corpus tests of the grammar, the tests
/// beside this file.
std::vector<std::string> inputs() {
    std::vector<std::string> texts;
    for (const fs::path& file : files_in(SLIMGRAD_SHADER_CORPUS, ".slang"))
        texts.push_back(read(file));
    for (const fs::path& file : files_in(fs::path(SLIMGRAD_GRAMMAR_TESTS), ".slang"))
        texts.push_back(read(file));
    for (const fs::path& file : files_in(fs::path(SLIMGRAD_GRAMMAR_TESTS) / "corpus", ".txt"))
        for (const CorpusTest& test : read_corpus(read(file)))
            texts.push_back(test.source);
    return texts;
}

/// The colour of every byte as an editor shows it: of nodes that lie in one another the inner
/// one's; what refers to a parameter or variable has the definition's.
std::vector<std::string> colours(const Parsed& parsed, const Query& highlights,
                                 const Query& locals) {
    std::vector<std::string> result(parsed.source.size());
    std::vector<Capture> captures =
        captures_in_order(highlights.matches(parsed.root(), parsed.source));
    for (const Capture& capture : captures)
        std::fill(result.begin() + ts_node_start_byte(capture.node),
                  result.begin() + ts_node_end_byte(capture.node), capture.name);
    for (auto [reference, definition] :
         definitions_of(locals.matches(parsed.root(), parsed.source), parsed.source)) {
        std::string name = result[definition];
        for (std::size_t i = definition; i < result.size() && result[i] == name; ++i)
            if (reference + i - definition < result.size() &&
                parsed.source[i] == parsed.source[reference + i - definition])
                result[reference + i - definition] = name;
            else
                break;
    }
    return result;
}

/// What `tags.scm` says of the name that begins at each byte. Where two patterns capture the same
/// name, the first one counts.
std::map<std::uint32_t, std::string> tags(const Parsed& parsed, const Query& query) {
    std::map<std::uint32_t, std::pair<std::uint32_t, std::string>> found;
    for (const Match& match : query.matches(parsed.root(), parsed.source)) {
        std::string kind;
        std::uint32_t place = 0;
        for (const Capture& capture : match.captures)
            if (capture.name == "name")
                place = ts_node_start_byte(capture.node);
            else
                kind = capture.name;
        auto [entry, added] = found.try_emplace(place, match.pattern, kind);
        if (!added && match.pattern < entry->second.first)
            entry->second = {match.pattern, kind};
    }
    std::map<std::uint32_t, std::string> result;
    for (const auto& [place, tag] : found)
        result[place] = tag.second;
    return result;
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

TEST_CASE("queries: predicates, and what is no query") {
    Parsed parsed = parse("int a; int b; int c;");
    auto names = [&](std::string_view text) {
        std::string result;
        for (const Match& match : Query(text).matches(parsed.root(), parsed.source))
            result += text_of(match.captures.front().node, parsed.source);
        return result;
    };
    CHECK(names("(identifier) @x") == "abc");
    CHECK(names("((identifier) @x (#eq? @x \"b\"))") == "b");
    CHECK(names("((identifier) @x (#not-eq? @x \"b\"))") == "ac");
    CHECK(names("((identifier) @x (#any-of? @x \"a\" \"c\"))") == "ac");
    CHECK(names("((identifier) @x (#match? @x \"^[bc]$\"))") == "bc");
    CHECK(names("((identifier) @x (#not-match? @x \"^[bc]$\"))") == "a");
    CHECK(names("((identifier) @x (#set! priority 90))") == "abc");
    CHECK(names("(variable_declarator name: (_) @x (#kind-eq? @x \"identifier\"))") == "abc");
    CHECK(names("(variable_declarator name: (_) @x (#not-kind-eq? @x \"identifier\"))") == "");
    CHECK_THROWS_AS(Query("(no_such_node) @x"), std::runtime_error);
    CHECK_THROWS_AS(Query("((identifier) @x (#lua-match? @x \"%a\"))"), std::runtime_error);
}

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
    std::string text = read(fs::path(SLIMGRAD_GRAMMAR_QUERIES).parent_path() / "README.md");
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

TEST_CASE("highlights.scm gives the colours that the tests name") {
    Query highlights = query("highlights"), locals = query("locals");
    for (const fs::path& file :
         files_in(fs::path(SLIMGRAD_GRAMMAR_TESTS) / "highlight", ".slang")) {
        CAPTURE(file.filename().string());
        Parsed parsed = parse(read(file));
        CHECK_FALSE(ts_node_has_error(parsed.root()));
        std::vector<std::string> colour = colours(parsed, highlights, locals);
        std::vector<Assertion> assertions = read_assertions(parsed.source);
        REQUIRE(!assertions.empty());
        for (const Assertion& assertion : assertions) {
            CAPTURE(assertion.line);
            for (std::size_t i = 0; i < assertion.length; ++i)
                if (assertion.negative)
                    CHECK(colour.at(assertion.offset + i) != assertion.name);
                else
                    CHECK(colour.at(assertion.offset + i) == assertion.name);
        }
    }
}

TEST_CASE("tags.scm gives the definitions and references that the tests name") {
    Query query_of_tags = query("tags");
    for (const fs::path& file : files_in(fs::path(SLIMGRAD_GRAMMAR_TESTS) / "tags", ".slang")) {
        CAPTURE(file.filename().string());
        Parsed parsed = parse(read(file));
        CHECK_FALSE(ts_node_has_error(parsed.root()));
        std::map<std::uint32_t, std::string> found = tags(parsed, query_of_tags);
        std::vector<Assertion> assertions = read_assertions(parsed.source);
        REQUIRE(!assertions.empty());
        for (const Assertion& assertion : assertions) {
            CAPTURE(assertion.line);
            auto tag = found.find(static_cast<std::uint32_t>(assertion.offset));
            std::string name = tag == found.end() ? "" : tag->second;
            CHECK((name == assertion.name) != assertion.negative);
        }
    }
}

TEST_CASE("locals.scm: what a name refers to") {
    // Every use of `x` below is followed by the line of the definition that it refers to; 0: none.
    Parsed parsed = parse("static float x;\n"                                           // 1
                          "float f(float x)\n"                                          // 2
                          "{\n"                                                         // 3
                          "    float y = x * s.x;\n"                                    // 4
                          "    for (int x = 0; x < 3; x++) { g(x); }\n"                 // 5
                          "    { float x = 1; y += x; }\n"                              // 6
                          "    let h = (int x) => x + 1;\n"                             // 7
                          "    return bwd_diff(x)(y, x);\n"                             // 8
                          "}\n"                                                         // 9
                          "float g() { return x; }\n"                                   // 10
                          "T id<T, let N : int>(T value) { T[N] a; return value; }\n"); // 11
    auto line_of = [&](std::uint32_t offset) {
        return 1 + std::count(parsed.source.begin(), parsed.source.begin() + offset, '\n');
    };
    std::vector<std::pair<long, long>> uses;
    for (auto [reference, definition] :
         definitions_of(query("locals").matches(parsed.root(), parsed.source), parsed.source))
        if (parsed.source[reference] == 'x')
            uses.emplace_back(line_of(reference), line_of(definition));
    using Uses = std::vector<std::pair<long, long>>;
    CHECK(uses == Uses{{4, 2}, {5, 5}, {5, 5}, {5, 5}, {6, 6}, {7, 7}, {8, 2}, {8, 2}, {10, 1}});
    std::string generic;
    for (auto [reference, definition] :
         definitions_of(query("locals").matches(parsed.root(), parsed.source), parsed.source))
        if (line_of(reference) == 11)
            generic += parsed.source[reference];
    CHECK(generic == "TTNv");
}
