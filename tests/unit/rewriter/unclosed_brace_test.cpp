#include "rewriter/unclosed_brace.h"

#include "rewriter/module_model.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

/// "LINE: BEGIN-END" of each: line of the brace, first and last line of the body.
std::vector<std::string> unclosed(const std::string& text) {
    const SourceFile file("f.slang", text);
    const auto line = [&](std::uint32_t offset) { return std::to_string(file.place(offset).line); };
    std::vector<std::string> found;
    const auto closed = close_bodies(text);
    if (!closed)
        return found;
    CHECK(closed->text.size() == text.size());
    for (const UnclosedBrace& brace : closed->unclosed)
        found.push_back(line(brace.offset) + ": " + line(brace.body.begin) + "-" +
                        line(brace.body.end - 1));
    return found;
}

std::vector<std::string> functions(const std::string& text) {
    std::vector<SourceFile> files;
    files.emplace_back("f.slang", text);
    const ModuleModel model = build_module_model(std::move(files), {});
    std::vector<std::string> names;
    for (const Function& function : model.functions)
        names.push_back(function.qualified_name +
                        (model.is_broken(function.site) ? " broken" : ""));
    return names;
}

using Words = std::vector<std::string>;

} // namespace

TEST_SUITE("rewriter/unclosed_brace") {
    TEST_CASE("where a body ends that is not closed") {
        CHECK(unclosed("void f() { }\nvoid g() { }\n").empty());
        CHECK(unclosed("void f() {\n  a();\n\nvoid g() { }\n") == Words{"1: 1-3"});
        CHECK(unclosed("void f() { if (x) { return;\n// of g\n[A] void g() { }\n") ==
              Words{"1: 1-2"});
        CHECK(unclosed("void f() {\n  a();\nvoid g() {\n  b();\nvoid h() { }") ==
              Words{"1: 1-2", "3: 3-4"});
        // To the end of the text.
        CHECK(unclosed("void g() { }\nvoid f() {\n  if (x) {\n  }\n") == Words{"2: 2-4"});
    }

    TEST_CASE("the brace that lines with less indentation close") {
        CHECK(unclosed("void f() {\n    if (x) {\n        a();\n}\n\nvoid g() { }\n") ==
              Words{"2: 1-5"});
        CHECK(unclosed("void f() {\n    for (;;) {\n        if (x) {\n            a();\n    }\n}\n"
                       "void g() { }\n") == Words{"3: 1-6"});
    }

    TEST_CASE("types and namespaces are left open, text in strings and comments does not count") {
        CHECK(unclosed("namespace N {\nvoid f() { }\nvoid g() { }\n").empty());
        CHECK(unclosed("struct S {\n  void f() { }\nint x;\n").empty());
        CHECK(unclosed("void f() { /* { */ g(\"{\"); // {\n}\nvoid h() { }\n").empty());
        CHECK(unclosed("}\n}\nvoid f() { }\n").empty());
    }

    TEST_CASE("what follows is in the model; the function that is open is broken") {
        CHECK(functions("float good(float x) { return x; }\n"
                        "float open(float x) { if (x > 1) { return x;\n"
                        "[Differentiable] float after(float x) { return x; }\n"
                        "void main() { good(1); }\n") ==
              Words{"good", "open broken", "after", "main"});
        // A line in the first column alone ends nothing.
        CHECK(functions("void f() {\nint x = 1;\nx++;\n}\nvoid g() { }\n") == Words{"f", "g"});
    }

    TEST_CASE("hostile texts") {
        std::string many;
        for (int i = 0; i < 20'000; ++i)
            many += "void f() {\n";
        CHECK(unclosed(many).size() == 20'000);
        CHECK(unclosed(std::string(100'000, '{')).size() <= 1);
        CHECK(unclosed("{\n\xc3\xa4").size() <= 1);
    }
}
