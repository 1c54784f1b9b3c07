#include "rewriter/unread_macros.h"

#include "rewriter/variable_flow.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;

namespace {

ModuleModel read(const std::string& macros, const std::string& body) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", macros +
                                         "static float gg;\n"
                                         "void bump(inout int x) { x += 5; }\n"
                                         "float f(float x, int p) { int n = 4; " +
                                         body + " }\n");
    return build_module_model(std::move(files));
}

std::string unread(const std::string& macros, const std::string& body) {
    std::string names;
    for (const UnreadMacro& use : read(macros, body).unread_macros)
        names += (names.empty() ? "" : " ") + use.name + (use.holds_statements ? ":" : "");
    return names;
}

} // namespace

TEST_SUITE("rewriter/unread_macros") {
    TEST_CASE("a name of a variable counts where it may be set") {
        const std::string names = "#define NM n\n#define ID(x) (x)\n";
        for (const char* body :
             {"NM = 9;", "NM += p;", "NM++;", "--NM;", "(NM) = 9;", "ID(n) = 9;", "++ID(n);",
              "int k = NM = 9;", "bump(NM);", "bump((NM));", "p > 100 ? 1 : (NM = 8);",
              "if (NM++ > 2) gg = 0;", "for (NM = 0; p < 7; p++) { }", "NM <<= 1;"}) {
            CAPTURE(body);
            CHECK(unread(names, body) != "");
        }
        for (const char* body :
             {"p = NM + 3;", "for (int i = 0; i < NM; i++) { }", "if (NM == 4) p = 1;",
              "p = a[NM];", "return NM;", "p = (NM);", "p = NM <= 4 ? 1 : NM;"}) {
            CAPTURE(body);
            CHECK(unread(names, body) == "");
        }
        CHECK(unread("#define S o.s\n", "S.n = 9;") == "S");
        CHECK(unread("#define Y .y\n", "float2 v; v Y = 9;") == "Y:");
        CHECK(unread("#define I [0]\n", "int a[2]; a I = 9;") == "I:");
        CHECK(unread("#define ARGS (n)\n", "bump ARGS;") == "ARGS:");
        CHECK(unread("#define SET set(n)\n", "p.SET;") == "SET:");
        CHECK(unread("#define K (4)\n", "if (p > 0) n = K; return K;") == "");
        CHECK(unread("#define A a\n", "int a[2]; A[0] = 9;") == "A");
    }

    TEST_CASE("values, types, attributes and constants are none") {
        CHECK(unread("#define SQ(x) ((x) * (x))\n#define LE(a, b) ((a) <= (b) && (a) != 2)\n"
                     "#define vec2 float2\n#define U [ForceUnroll]\n#define K 4\n",
                     "vec2 v = vec2(x, SQ(x)); bump(K); U for (int i = 0; LE(i, K); ++i) { } "
                     "return ((vec2)v).x;") == "");
        CHECK(unread("#define U [ForceUnroll]\n",
                     "[MaxIters(4)] U for (int i = 0; i < 4; ++i) { if (p > 0) U for (int j = 0; j "
                     "< 4; ++j) { } }") == "");
        CHECK(unread("#define EACH(v, n) for (int v = 0; v < n; ++v)\n", "EACH(i, 4) x += i;") ==
              "");
    }

    TEST_CASE("a macro that stands for nothing is not there") {
        const ModuleModel model = read("#define NOTHING\n#define NONE(x) NOTHING\n",
                                       "n NOTHING = 9; NOTHING p = 1; NONE(2) return x;");
        CHECK(model.unread_macros.empty());
        CHECK(model.trees[0].errors().empty());
        std::size_t locals = 0;
        for (const LocalVariable& local : model.locals)
            locals += local.name == "n" ? local.reassigned : 1;
        CHECK(locals == 1);
    }

    TEST_CASE("statements count, and what follows them is read") {
        const std::string macros = "#define SETG gg = x;\n#define BODY { gg = x; }\n"
                                   "#define LEAVE(c) if (c) return 0\n#define OP =\n";
        CHECK(unread(macros, "SETG return x;") == "SETG:");
        CHECK(unread(macros, "SETG; return x;") == "SETG:");
        CHECK(unread(macros, "LEAVE(x > 0); return x;") == "LEAVE:");
        CHECK(unread(macros, "n OP 9;") == "OP:");
        const ModuleModel model = read(macros, "SETG bump(n); BODY if (p > 0) SETG return x;");
        CHECK(model.unread_macros.size() == 3);
        CHECK(model.trees[0].errors().empty());
        REQUIRE(model.calls.size() == 1);
        CHECK(model.calls[0].callee == "bump");
        const auto f = model.find_functions("f");
        REQUIRE(f.size() == 1);
        CHECK(read_flow(model, f[0]).incomplete == "what the macro SETG does is not known");
    }

    TEST_CASE("members of types stay what they are") {
        const ModuleModel model = read("#define FIELDS float a; float b;\n",
                                       "return x; } struct S { FIELDS float get() { return a; }");
        CHECK(model.unread_macros.empty());
        REQUIRE(model.types.size() == 1);
        CHECK(model.types[0].fields.size() == 2);
    }
}
