#include "attributes/conditional_statements.h"

#include "module_text.h"

#include <fmt/format.h>

using namespace slimgrad;

namespace {

/// Whether what stands between #if A and #endif in the function may set "n" or "m".
bool sets(const std::string& text, const std::string& before = "") {
    const ModuleText module(before + "void f(int n, int m, float x)\n{\n    x = 1;\n#if A\n" +
                            text + "\n#endif\n    x = 2;\n}\n");
    const std::string& file = module.model.files[0].text();
    const Function& function = module.model.functions[module.function("f")];
    const auto begin = std::uint32_t(file.find("#if A")),
               end = std::uint32_t(file.rfind("#endif") + 6);
    return may_set(module.model, *function.body, {0, {begin, end}}, {"n", "m"},
                   read_macro_texts(module.model));
}

} // namespace

TEST_SUITE("attributes/conditional_statements") {
    TEST_CASE("reads set nothing") {
        for (const char* text :
             {"", "x = n;", "x = n + 1;", "x += x * m;", "x = a[n];", "if (n < 3) x = 4;",
              "x = -n;", "{ float y = x; x = y; }", "x = 1;\n#else\nx = 3;", "/* n = 3; */",
              "s.n = 3;", "x = n && m;"}) {
            CAPTURE(std::string(text));
            CHECK_FALSE(sets(text));
        }
    }

    TEST_CASE("what may be a write, a declaration or a way out sets") {
        for (const char* text : {"n = 3;",
                                 "n++;",
                                 "--m;",
                                 "n |= 2;",
                                 "n <<= 1;",
                                 "x = n = 3;",
                                 "x = n++ + 1;",
                                 "int n = 3;",
                                 "set(n);",
                                 "set(1, m);",
                                 "x = &n;",
                                 "if (x > 1) return;",
                                 "while (x > 1) break;",
                                 "x = 1;\n#else\nm = 3;",
                                 "n = 3; // }",
                                 "n.x = 3;",
                                 "n[0] = 3;",
                                 "x = 1",
                                 "} {",
                                 "else x = 1;",
                                 "x = 1; if (x > 2)",
                                 "#define n 3",
                                 "#include \"a.slangh\""}) {
            CAPTURE(std::string(text));
            CHECK(sets(text));
        }
    }

    TEST_CASE("macros mean all that any branch defines them to be") {
        CHECK_FALSE(sets("x = TWICE(x);", "#define TWICE(v) ((v) * 2)\n"));
        CHECK(sets("TUNE;", "#if A\n#define TUNE n = 32\n#else\n#define TUNE\n#endif\n"));
        CHECK(sets("TUNE;", "#define TUNE INNER\n#define INNER m++\n"));
        CHECK(sets("LEAVE;", "#define LEAVE \\\n    return\n"));
    }

    TEST_CASE("names behind the trips of a loop") {
        const ModuleText module(
            "#define N 4\nvoid f(int a, int b, int c)\n{\n    int n = a;\n    n += b;\n"
            "    c = 3;\n    for (int i = 0; i < n * N; i++) { c += i; }\n}\n");
        const auto names = names_behind_trips(module.model, 0);
        for (const char* name : {"i", "n", "N", "a", "b"})
            CHECK(names.contains(name));
        CHECK_FALSE(names.contains("c"));
    }
}
