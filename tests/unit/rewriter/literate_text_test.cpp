#include "rewriter/literate_text.h"

#include "rewriter/module_model.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

std::vector<std::string> blocks(const std::string& text) {
    const SourceFile file("a.slang.md", text);
    std::vector<std::string> result;
    for (const ByteRange& block : code_blocks(file))
        result.emplace_back(file.slice(block));
    return result;
}

} // namespace

TEST_SUITE("rewriter/literate_text") {
    TEST_CASE("blocks fenced with slang or without a word, and indented ones, are code") {
        CHECK(blocks("# T\n```slang\nint a;\nint b;\n```\n").size() == 1);
        CHECK(blocks("# T\n```slang\nint a;\n\nint b;\n```\n")[0] == "int a;\n\nint b;\n");
        CHECK(blocks("~~~\r\nint a;\r\n~~~\r\n")[0] == "int a;\r\n");
        CHECK(blocks("   ```\nint a;\n")[0] == "int a;\n"); // never closed
        CHECK(blocks("text\n\n    int a;\n    int b;\n\nmore\n")[0] == "    int a;\n    int b;\n");
        CHECK(blocks("\tint a;\n")[0] == "\tint a;\n");
        CHECK(blocks("```slang\n```\n").empty());
        CHECK(blocks("```python\nx = 1\n```\n```Slang\nint a;\n```\n").empty());
        CHECK(blocks("- ```slang\n  int a;\n  ```\n> ```slang\n> int b;\n> ```\n").empty());
        CHECK(blocks("`int a;` and ```int b;```\n").empty());
        CHECK(blocks("").empty());
    }

    TEST_CASE("all else is blank, and only in a file of that kind") {
        const std::string text = "# T \xc3\xa9\r\n```\r\nint a;\r\n```\r\nend";
        CHECK(code_text(SourceFile("a.md", text)) == "      \r\n   \r\nint a;\r\n   \r\n   ");
        CHECK(code_text(SourceFile("a.slang", text)) == text);
    }

    TEST_CASE("the model holds what the blocks declare, at its place in the file") {
        const std::string text =
            "# It's `f`\n"
            "#if you read on /* or not\n"
            "```slang\n"
            "#define N 4\n"
            "[Differentiable] float f(float x) {\n"
            "    float y = x;\n"
            "    [MaxIters(N)] for (int i = 0; i < N; i++) y *= x;\n"
            "    return y;\n"
            "}\n"
            "```\n"
            "Then { it goes on\n\n"
            "    int g(int n) { int s = 0; for (int i = 0; i < n; i++) s += N; return s; }\n";
        const ModuleModel model = build_module_model({SourceFile("/m/a.slang.md", text)});
        CHECK(model.trees[0].errors().empty());
        REQUIRE(model.functions.size() == 2);
        CHECK(model.functions[0].name == "f");
        CHECK(model.place(0, model.functions[0].site.range.begin).line == 5);
        REQUIRE(model.loops.size() == 2);
        CHECK(model.loops[0].attributes.size() == 1);
        // A macro ends with its block.
        CHECK(model.find_only_macro("N") == nullptr);
    }

    TEST_CASE("a comment that is left open ends with its block") {
        const ModuleModel model = build_module_model(
            {SourceFile("/m/a.slang.md", "```\nint a() { return 1; }\n/* open\n```\n\ntext\n\n"
                                         "```\nint b() { return 1; }\n```\n")});
        CHECK(model.functions.size() == 2);
    }

    TEST_CASE("an indented block moves the compiler's columns") {
        CHECK(has_indented_block(SourceFile("a.md", "text\n\n    int a;\n")));
        CHECK(has_indented_block(SourceFile("a.md", "text\n\n ```\n int a;\n ```\n")));
        CHECK_FALSE(has_indented_block(SourceFile("a.md", "text\n\n```\nint a;\n```\n")));
        CHECK_FALSE(has_indented_block(SourceFile("a.slang", "    int a;\n")));
    }

    TEST_CASE("imports find a module in Markdown") {
        const ModuleModel model = build_module_model(
            {SourceFile("/m/a.slang", "import b_c;\nfloat f() { return g(); }\n"),
             SourceFile("/m/b-c.slang.md", "```\nfloat g() { return 1; }\n```\n")});
        REQUIRE(model.calls.size() == 1);
        CHECK(model.calls[0].target != none);
    }
}
