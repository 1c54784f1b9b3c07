#include "rewriter/preprocessor.h"

#include <doctest/doctest.h>
#include <utility>

using namespace slimgrad;

namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

ActiveText run(const Texts& texts, const std::vector<std::string>& defines = {}) {
    std::vector<SourceFile> files;
    for (const auto& [path, text] : texts)
        files.emplace_back(path, text);
    return preprocess(files, defines);
}

/// The words that are left of a file.
std::string left(const std::string& text, const std::vector<std::string>& defines = {}) {
    const std::string active = run({{"/p/a.slang", text}}, defines).texts[0];
    REQUIRE(active.size() == text.size());
    std::string words;
    for (char c : active) {
        const bool space = c == ' ' || c == '\n' || c == '\r';
        if (!space)
            words += c;
        else if (!words.empty() && words.back() != ' ')
            words += ' ';
    }
    return words.empty() || words.back() != ' ' ? words : words.substr(0, words.size() - 1);
}

std::string condition(std::string_view text,
                      const std::map<std::string, MacroDefinition>& macros = {}) {
    const auto value = evaluate_condition(text, macros);
    return value ? std::to_string(*value) : "-";
}

} // namespace

TEST_SUITE("rewriter/preprocessor") {
    TEST_CASE("bytes keep their offsets, lines their numbers") {
        const std::string text = "a\r\n#if 0\r\n\tb é\r\n#endif\r\nc";
        const ActiveText active = run({{"/p/a.slang", text}});
        CHECK(active.texts[0] == "a\r\n     \r\n     \r\n      \r\nc");
        REQUIRE(active.inactive[0].size() == 1);
        CHECK(active.inactive[0][0].begin == 3);
        CHECK(active.inactive[0][0].end == text.find("\nc"));
    }

    TEST_CASE("branches") {
        const std::string text = "#if V == 1\none\n#elif V == 2\ntwo\n#else\nother\n#endif\nend\n";
        CHECK(left(text, {"V=1"}) == "one end");
        CHECK(left(text, {"V=2"}) == "two end");
        CHECK(left(text, {"V=3"}) == "other end");
        CHECK(left(text) == "other end");
        // slangc knows no #elifdef: it is a line like others.
        CHECK(left("#ifdef A\na\n#elifdef B\nb\n#else\nc\n#endif", {"B"}) == "c");
        CHECK(left("#ifndef A\na\n#else\nb\n#endif", {"A"}) == "b");
        CHECK(left("#if 0\n#if 1\na\n#else\nb\n#endif\nc\n#else\nd\n#endif") == "d");
        CHECK(left("#if 1\na\n#elif 1\nb\n#endif") == "a");
    }

    TEST_CASE("conditions that cannot be evaluated leave all branches in") {
        CHECK(left("#if __LINE__ > 1\na\n#else\nb\n#endif") == "a b");
        CHECK(left("#if unclear(3)\na\n#elif 0\nb\n#else\nc\n#endif") == "a c");
    }

    TEST_CASE("unbalanced directives") {
        CHECK(left("#endif\na\n#else\nb\n#if 0\nc") == "a b");
        CHECK(left("#if 1\na") == "a");
    }

    TEST_CASE("definitions hold from their place on") {
        CHECK(left("#ifdef A\na\n#endif\n#define A\n#ifdef A\nb\n#endif\n#undef A\n#ifdef "
                   "A\nc\n#endif") == "b");
        CHECK(left("#if 0\n#define A 1\n#endif\n#if A\na\n#else\nb\n#endif") == "b");
    }

    TEST_CASE("a macro's definition ends before the line's end") {
        for (const std::string end : {"\n", "\r\n", ""}) {
            std::vector<SourceFile> files;
            files.emplace_back("a.slang", "#define A(x) x" + end);
            const ActiveText active = preprocess(files, {});
            REQUIRE(active.macros.size() == 1);
            CHECK(active.macros[0].range == ByteRange{0, 14});
            CHECK(active.macros[0].body == "x");
        }
    }

    TEST_CASE("macros are recorded") {
        const ActiveText active =
            run({{"/p/a.slang",
                  "#define N 8 // eight\n#define F(a, b) \\\n  (a + /* c */ b)\n# define E\nN\n"}},
                {"D=3", "X"});
        REQUIRE(active.macros.size() == 5);
        CHECK(active.find_macro("D")->body == "3");
        CHECK(active.find_macro("D")->file == ~std::uint32_t{0});
        CHECK(active.find_macro("X")->body == "");
        CHECK(active.find_macro("N")->body == "8");
        CHECK_FALSE(active.find_macro("N")->function_like);
        CHECK(active.find_macro("F")->function_like);
        CHECK(active.find_macro("F")->body.find("(a +") == 0);
        CHECK(active.find_macro("F")->body.find("c") == std::string::npos);
        CHECK(active.find_macro("E")->body == "");
        CHECK(active.find_macro("M") == nullptr);
        CHECK(active.texts[0].find_first_not_of(" \n") == active.texts[0].find("N\n"));
    }

    TEST_CASE("comments and strings hide directives") {
        CHECK(left("/*\n#if 0\n*/ a\n// #if 0 \nb") == "/* #if 0 */ a // #if 0 b");
        CHECK(left("x = \"/*\";\n#if 0\nb\n#endif\ny = \"*/\";") == "x = \"/*\"; y = \"*/\";");
        CHECK(left("a # if 0\nb") == "a # if 0 b");
        CHECK(left("#define A 1 /* two\nlines */\nb") == "b");
        CHECK(left("#define A 1 // goes on \\\nhere\nb") == "b");
    }

    TEST_CASE("a line goes on after a backslash, wherever it stands") {
        for (const std::string end : {"\n", "\r\n"}) {
            const auto lines = [&](std::string text) {
                for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;)
                    at = text.replace(at, 1, end).find('\n', at) + 1;
                return left(text);
            };
            CAPTURE(end.size());
            CHECK(lines("// c \\\n#if 0\na") == lines("// c \\\n#if 0\n") + " a");
            CHECK(lines("#if 0\n// c \\\n#endif\na\n#endif\nb") == "b");
            CHECK(lines("#if 0\nx \\\n\\\n#endif\na\n#endif\nb") == "b");
            CHECK(lines("#i\\\nf 0\na\n#en\\\ndif\nb") == "b");
            CHECK(lines("#if 0\n/\\\n*\n#endif\n*\\\n/\n#endif\nb") == "b");
            CHECK(lines("\\\n#if 0\na\n#endif\nb") == "b");
            // What the grammar does not take for a comment is blank.
            CHECK(lines("/\\\n/ c\na /\\\n* x */ b /* y *\\\n/ c") == "a b c");
            // With a space behind it, it is a character like any other.
            CHECK(lines("#if 0\n// c \\ \n#endif\na") == "a");
        }
        CHECK(left("// c \\\r#if 0\na") == "// c \\ #if 0 a");
        CHECK(left("#if 0\ra\r#endif\rb") == "b");
        CHECK(run({{"f", "a\rb\\\rc\r\n"}}).texts[0] == "a\nb\\\nc\r\n");
    }

    TEST_CASE("included files see what is defined before them") {
        const Texts texts = {
            {"/p/a.slang", "#define V 2\n#include \"lib/b.slangh\"\n#ifdef FROM_B\na\n#endif\n"},
            {"/p/lib/b.slangh",
             "#if V == 2\n#define FROM_B\nb\n#endif\n#include \"../c.slangh\"\n"},
            {"/p/c.slangh", "#ifdef FROM_B\nc\n#endif\n"}};
        const ActiveText active = run(texts);
        CHECK(active.texts[0].find('a') != std::string::npos);
        CHECK(active.texts[1].find('b') != std::string::npos);
        CHECK(active.texts[2].find('c') != std::string::npos);
    }

    TEST_CASE("an include guard, and files that include each other") {
        const Texts texts = {
            {"/p/a.slang", "#include \"b.slangh\"\n#include \"b.slangh\"\na\n"},
            {"/p/b.slangh", "#ifndef B\n#define B\n#include \"b.slangh\"\nb\n#endif\n"}};
        const ActiveText active = run(texts);
        CHECK(active.texts[1].find("b") == texts[1].second.rfind("b\n"));
        const ActiveText endless = run({{"/p/a.slang", "#include \"a.slang\"\na\n"}});
        CHECK(endless.texts[0].find('a') == endless.texts[0].size() - 2);
    }

    TEST_CASE("a file that no one includes is read with the command line's macros only") {
        const Texts texts = {{"/p/a.slang", "#define V 1\nimport m;\n"},
                             {"/p/m.slang", "#ifdef V\nm\n#else\nn\n#endif\n"}};
        const ActiveText active = run(texts);
        CHECK(active.texts[1].find('m') == std::string::npos);
        CHECK(active.texts[1].find('n') != std::string::npos);
    }

    TEST_CASE("conditions") {
        MacroDefinition v;
        v.body = "3";
        MacroDefinition f;
        f.function_like = true;
        f.body = "1";
        const std::map<std::string, MacroDefinition> macros = {{"A", {}}, {"V", v}, {"F", f}};
        CHECK(condition("defined(A) && V >= 2", macros) == "1");
        CHECK(condition("defined A && !defined(B)", macros) == "1");
        CHECK(condition("B", macros) == "0");
        CHECK(condition("V + B == 3", macros) == "1");
        CHECK(condition("defined(F)", macros) == "1");
        CHECK(condition("F", macros) == "-");
        CHECK(condition("F(1)", macros) == "-");
        CHECK(condition("", macros) == "-");
        CHECK(condition("(1", macros) == "-");
    }
}
