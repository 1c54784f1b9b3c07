// What an editor shows by the queries of rewriter/grammar/queries: colours, tags, what a name
// refers to.

#include "tests/grammar/editor_view.h"

#include "tests/grammar/assertions.h"
#include "tests/grammar/inputs.h"
#include "tests/grammar/locals.h"
#include "tests/grammar/query.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fs = std::filesystem;
using namespace slimgrad::tests;

namespace {

Query query(const std::string& name) {
    return Query(read_text(fs::path(SLIMGRAD_GRAMMAR_QUERIES) / (name + ".scm")));
}

} // namespace

TEST_CASE("highlights.scm gives the colours that the tests name") {
    Query highlights = query("highlights"), locals = query("locals");
    for (const fs::path& file :
         files_below(fs::path(SLIMGRAD_GRAMMAR_TESTS) / "highlight", {".slang"})) {
        CAPTURE(file.filename().string());
        Parsed parsed = parse(read_text(file));
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
    for (const fs::path& file :
         files_below(fs::path(SLIMGRAD_GRAMMAR_TESTS) / "tags", {".slang"})) {
        CAPTURE(file.filename().string());
        Parsed parsed = parse(read_text(file));
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
    std::string generic;
    for (const Reference& each :
         references_in(query("locals").matches(parsed.root(), parsed.source), parsed.source)) {
        if (parsed.source[each.start] == 'x')
            uses.emplace_back(line_of(each.start), line_of(each.definition));
        if (line_of(each.start) == 11)
            generic += parsed.source[each.start];
    }
    using Uses = std::vector<std::pair<long, long>>;
    CHECK(uses == Uses{{4, 2}, {5, 5}, {5, 5}, {5, 5}, {6, 6}, {7, 7}, {8, 2}, {8, 2}, {10, 1}});
    CHECK(generic == "TTNv");
}
