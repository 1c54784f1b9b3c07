// Texts that no one writes by hand: the front end reads them, or says that they are broken, and
// comes to an end. Nothing here is timed; the sizes are such that what takes quadratic time would
// run into the test's limit.

#include "rewriter/module_model.h"
#include "rewriter/syntax_tree.h"

#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

constexpr int many = 100'000;

std::string repeat(const std::string& text, int count) {
    std::string result;
    result.reserve(text.size() * std::size_t(count));
    for (int i = 0; i < count; ++i)
        result += text;
    return result;
}

std::string numbered(int count, const std::function<std::string(const std::string&)>& line) {
    std::string result;
    for (int i = 0; i < count; ++i)
        result += line(std::to_string(i));
    return result;
}

ModuleModel read(const std::string& text) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", text);
    return build_module_model(std::move(files));
}

/// A function that returns the expression.
std::string returns(const std::string& expression) {
    return "float f(float x) { return " + expression + "; }\n";
}

} // namespace

TEST_SUITE("rewriter/hostile_text") {
    TEST_CASE("what nests 100,000 deep is broken there, the function around it is read") {
        const std::vector<std::string> texts{
            returns(repeat("(", many) + "x" + repeat(")", many)),
            returns(repeat("a[", many) + "0" + repeat("]", many)),
            returns(repeat("g(", many) + "x" + repeat(")", many)),
            returns(repeat("-", many) + "x"),
            returns(repeat("!", many) + "x"),
            returns("x" + repeat("+x", many)),
            returns(repeat("x ? x : ", many) + "x"),
            returns("g" + repeat("(x)", many)),
            "void f(float x) { " + repeat("{", many) + repeat("}", many) + " }\n",
            "void f(float x) { " + repeat("if (x > 1) { x = 2; } else ", many) + "{ } }\n",
            "void f(float x) { " + repeat("for (;;) ", many) + "x = 1; }\n",
            "void f(float x) { " + repeat("x = ", many) + "x; }\n",
            "void f() { " + repeat("A<", many) + "int" + repeat(">", many) + " x; }\n",
        };
        for (const std::string& text : texts) {
            CAPTURE(text.substr(0, 40));
            const ModuleModel model = read(text + "float g() { return 1; }\n");
            CHECK(model.find_functions("f").size() == 1);
            CHECK(model.find_functions("g").size() == 1);
            const auto end = std::uint32_t(text.size());
            CHECK(model.is_broken({0, {0, end}}));
            CHECK_FALSE(model.is_broken({0, {end, end + 24}}));
        }
    }

    TEST_CASE("chains are read however long they are") {
        const ModuleModel members = read(returns("a" + repeat(".b", many)));
        REQUIRE(members.accesses.size() == 1);
        CHECK(members.accesses[0].members.size() == many);
        const ModuleModel elements = read(returns("a" + repeat("[0]", many)));
        REQUIRE(elements.accesses.size() == 1);
        CHECK(elements.accesses[0].subscript->range.begin == elements.files[0].text().rfind('['));
        CHECK(read(returns("g(x" + repeat(", x", many) + ")")).calls[0].arguments.size() ==
              many + 1);
    }

    TEST_CASE("brackets that never close") {
        for (const char* open :
             {"(", "[", "{", "g(", "S {", "<", "namespace N {", "if (", "#if A\n"}) {
            CAPTURE(open);
            const std::string text = repeat(open, many);
            const ModuleModel model = read("float f() { return 1; }\n" + text);
            CHECK(model.files[0].text().size() == text.size() + 24);
        }
    }

    TEST_CASE("quotes, comments, directives and bytes, and nothing else") {
        for (const std::string& piece :
             {std::string("\""), std::string("'"), std::string("\"\n"), std::string("/*"),
              std::string("*/"), std::string("#"), std::string("#\n"), std::string("\\\n"),
              std::string("#else\n"), std::string("#endif\n"), std::string("R\"("),
              std::string(1, '\0'), std::string("\r"), std::string("\xC3\xFF"), std::string("\x80"),
              std::string("\xEF\xBB\xBF"), std::string(";"), std::string("] ) } @ $ ")}) {
            CAPTURE(piece);
            const std::string text = repeat(piece, int(300'000 / piece.size()));
            CHECK(read(text).functions.empty());
        }
    }

    TEST_CASE("what stands behind odd bytes is read at its place") {
        for (const std::string& odd :
             {std::string("// \xFF\xC3\n"), std::string("// \0\n", 5), std::string("\xEF\xBB\xBF"),
              std::string("int a;\r"), std::string("\v\f"), std::string("\\\r\n")}) {
            CAPTURE(odd);
            const std::string text = "\n" + repeat(odd, 10) + "float f() { return 1; }\n";
            const ModuleModel model = read(text);
            REQUIRE(model.find_functions("f").size() == 1);
            const Function& f = model.functions[model.find_functions("f")[0]];
            CHECK(model.text(f.name_site) == "f");
            CHECK_FALSE(model.is_broken(f.site));
        }
    }

    TEST_CASE("a line of more than 65,536 columns") {
        const std::string before = repeat("int abcdef; ", 20'000);
        const ModuleModel model = read(before + "float f() { return g(1); }");
        REQUIRE(model.functions.size() == 1);
        CHECK(model.text(model.functions[0].name_site) == "f");
        CHECK(model.place(model.functions[0].name_site) == Place{"/p/a.slang", 1, 240'007});
        CHECK(model.files[0].offset(1, 240'007) == 240'006);
        CHECK(model.text(model.calls[0].site) == "g(1)");
        CHECK(model.globals.size() == 20'000);
    }

    TEST_CASE("100,000 functions, types and macros") {
        const ModuleModel functions = read(numbered(many, [](const std::string& i) {
            return "float f" + i + "(float x) { return f0(x); }\n";
        }));
        CHECK(functions.functions.size() == many);
        CHECK(functions.calls.size() == many);
        for (int i = 0; i < many; ++i)
            REQUIRE(functions.find_functions("f" + std::to_string(i)) ==
                    std::vector<Index>{Index(i)});
        const ModuleModel types = read(numbered(
            many, [](const std::string& i) { return "struct S" + i + " { float a; };\n"; }));
        CHECK(types.find_type("S99999") == &types.types.back());
        const ModuleModel macros = read(
            numbered(many, [](const std::string& i) { return "#define M" + i + "(x) (x)\n"; }) +
            returns(repeat("M0(x) + M99999(x) + ", 300) + "x"));
        CHECK(macros.macros.size() == many);
        CHECK(macros.macro_uses[0].size() == 600);
    }

    TEST_CASE("syntax errors in 50,000 functions, and none in the one behind them") {
        const ModuleModel model =
            read(repeat("float f() { return ]; }\n", 50'000) + "float g() { return 1; }\n");
        CHECK(model.trees[0].errors().size() == 50'000);
        REQUIRE(model.find_functions("g").size() == 1);
        for (const Function& function : model.functions)
            REQUIRE(model.is_broken(function.site) == (function.name == "f"));
    }

    TEST_CASE("macros that mean themselves, each other, or twice another end") {
        const std::string text =
            "#define A A\n#define B(x) B(x) B(x)\n#define C D\n#define D C\n"
            "#define M0 [A]\n" +
            numbered(40,
                     [](const std::string& i) {
                         const std::string next = std::to_string(std::stoi(i) + 1);
                         return "#define M" + next + " M" + i + " M" + i + "\n";
                     }) +
            repeat("M40 [A] B(1) C void f(A x) { B(x); }\n", 100);
        CHECK(read(text).find_functions("f").size() == 100);
    }

    TEST_CASE("a file that includes itself, and one that includes it back") {
        std::vector<SourceFile> files;
        files.emplace_back("/p/a.slang", repeat("#include \"a.slang\"\n#include \"b.slang\"\n", 3) +
                                             "float f() { return 1; }\n");
        files.emplace_back("/p/b.slang", "#include \"a.slang\"\nfloat g() { return 1; }\n");
        const ModuleModel model = build_module_model(std::move(files));
        CHECK(model.find_functions("f").size() == 1);
        CHECK(model.find_functions("g").size() == 1);
    }

    TEST_CASE("ten megabytes") {
        const std::string piece = "/// Adds.\nfloat add(float a, float b)\n{\n    [MaxIters(8)]\n"
                                  "    for (int i = 0; i < 8; ++i)\n        a += b * float(i);\n"
                                  "    return a; // the sum\n}\n\n";
        const int count = int(10'000'000 / piece.size());
        const std::string text = repeat(piece, count);
        CHECK(SyntaxTree::parse(text).errors().empty());
        const SourceFile file("/p/a.slang", text);
        CHECK(file.place(std::uint32_t(text.size())).line == std::uint32_t(count) * 9 + 1);
    }
}
