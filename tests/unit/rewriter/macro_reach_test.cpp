#include "rewriter/preprocessor.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;

namespace {

/// The definitions that the model has, as "NAME=body".
std::string macros(const std::string& text, const std::vector<std::string>& defines = {}) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", text);
    std::string result;
    for (const MacroDefinition& macro : preprocess(files, defines).macros)
        result += (result.empty() ? "" : ", ") + macro.name + '=' + macro.body;
    return result;
}

} // namespace

TEST_SUITE("rewriter/macro_reach") {
    TEST_CASE("a macro that no use of its name sees is none") {
        CHECK(macros("int a = N;\n#define N 4\n") == "");
        CHECK(macros("#define N 4\n#undef N\nint a = N;\n") == "");
        CHECK(macros("int f(int x);\n#define f(x) x\n") == "");
        // Nothing uses the name at all.
        CHECK(macros("#define N 4\n#undef N\n") == "N=4");
    }

    TEST_CASE("one that a part of the uses sees is one of two meanings") {
        CHECK(macros("int a = N;\n#define N 4\nint b = N;\n") == "N=N, N=4");
        CHECK(macros("#define N 4\nint b = N;\n#undef N\nint a = N;\n") == "N=N, N=4");
        CHECK(macros("#undef N\nint a = N;\n", {"N=3"}) == "N=N, N=3");
        CHECK(macros("int f (int x);\n#define f(x) x\nint a = f(3);\n") == "f=f, f=x");
    }

    TEST_CASE("one that all uses see is what it says") {
        CHECK(macros("#define N 4\nint a = N;\n") == "N=4");
        CHECK(macros("#define N 4\nint a = N;\n#undef N\n") == "N=4");
        CHECK(macros("#define f(x) x\nfloat f;\nint a = f\n (3);\n") == "f=x");
        // Comments, strings, other directives and what is not taken use nothing.
        CHECK(macros("// N\n/* N */\nprintf(\"N\");\n#if N\nint a = N;\n#endif\n#define N 4\nint b "
                     "= N;") == "N=4");
    }

    TEST_CASE("a macro uses what stands in it where it is used itself") {
        CHECK(macros("#define A N\n#define N 4\nint a = A;\n") == "A=N, N=4");
        CHECK(macros("#define A N\nint a = A;\n#define N 4\n") == "A=N");
        CHECK(macros("#define A N\nint a = A;\n#define N 4\nint b = A;\n") == "N=N, A=N, N=4");
        CHECK(macros("#define A B\n#define B A\nint a = A;\n") == "A=B, B=A");
    }
}
