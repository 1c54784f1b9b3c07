#include "rewriter/set_aside.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

ModuleModel read(const std::string& text, const std::vector<std::string>& defines = {}) {
    return build_module_model({SourceFile("/p/a.slang", text)}, defines);
}

/// "f g | for | h sqrt" with "?" where more may be in it.
std::string words(const SetAside& contents) {
    std::string result;
    for (const auto* items : {&contents.functions, &contents.loops, &contents.calls}) {
        for (const SetAside::Item& item : *items)
            result += item.name + " ";
        result += items == &contents.calls ? "" : "| ";
    }
    return result + (contents.is_complete ? "" : "?");
}

std::string uses(const std::string& text) {
    std::string result;
    for (const MacroUse& use : read_macro_uses(read(text)))
        result += use.name + ": " + words(use.contents) + "\n";
    return result;
}

} // namespace

TEST_SUITE("rewriter/set_aside") {
    TEST_CASE("branches that are not taken") {
        const ModuleModel model = read("#if 0\n"
                                       "float f(float x) { return sqrt(x); }\n"
                                       "#else\n"
                                       "float g() { return 1; }\n"
                                       "#endif\n"
                                       "void h(float x) {\n"
                                       "#ifdef UNROLL\n"
                                       "    for (int i = 0; i < 4; ++i) x += g();\n"
                                       "#elif 1\n"
                                       "    x += g();\n"
                                       "#else\n"
                                       "    x = 1\n"
                                       "#endif\n"
                                       "}\n");
        REQUIRE(model.not_taken.size() == 3);
        CHECK(words(read_inactive(model, model.not_taken[0])) == "f | | sqrt ");
        CHECK(words(read_inactive(model, model.not_taken[1])) == "| for | g ");
        CHECK(words(read_inactive(model, model.not_taken[2])) == "| | ");
        const auto place = [&](const SetAside::Item& item) {
            return std::string(model.text(item.site));
        };
        CHECK(place(read_inactive(model, model.not_taken[0]).functions[0]) == "f");
        CHECK(place(read_inactive(model, model.not_taken[1]).calls[0]) == "g()");
        CHECK(model.text({0, model.not_taken[1].directive}) == "#ifdef UNROLL");
        CHECK(model.undecided.empty());
    }

    TEST_CASE("a branch that is cut has what can be read of it") {
        const ModuleModel model = read("#if 0\nvoid f() { g(); }\nvoid h( {\n#endif\n");
        REQUIRE(model.not_taken.size() == 1);
        const SetAside contents = read_inactive(model, model.not_taken[0]);
        CHECK_FALSE(contents.is_complete);
        CHECK(contents.functions.front().name == "f");
    }

    TEST_CASE("outermost branches alone, and none for an include guard that is met again") {
        CHECK(read("#if 0\n#if 1\n#else\n#endif\n#endif\n").not_taken.size() == 1);
        const ModuleModel guarded = build_module_model(
            {SourceFile("/p/a.slang", "#include \"b.slang\"\n#include \"b.slang\"\n"),
             SourceFile("/p/b.slang", "#ifndef B\n#define B\nvoid f() {}\n#endif\n")});
        CHECK(guarded.not_taken.empty());
        CHECK(guarded.functions.size() == 1);
    }

    TEST_CASE("conditions that are not known leave their branches in the model") {
        const ModuleModel model = read("#if __LINE__\nvoid f() {}\n#else\nvoid g() {}\n#endif\n");
        CHECK(model.functions.size() == 2);
        REQUIRE(model.undecided.size() == 1);
        CHECK(model.text({0, model.undecided[0].directive}) == "#if __LINE__");
    }

    TEST_CASE("what macros stand for") {
        CHECK(uses("#define N 8\nvoid f() { int a[N]; }") == "");
        CHECK(uses("#define STEP(x) x = g(x)\nvoid f(float y) { STEP(y); }") == "STEP: | | g \n");
        CHECK(uses("#define LOOP for (int i = 0; i < 4; ++i) g(i)\nvoid f() { LOOP; }") ==
              "LOOP: | for | g \n");
        CHECK(uses("#define G(x) g(h(x))\n#define H(x) G(x) + G(k(x))\nvoid f() { y = H(1); }") ==
              "H: | | g h g h k \n");
        CHECK(uses("#define MAKE(name) float name##_fwd(float x) { return sqrt(x); }\nMAKE(a)\n") ==
              "MAKE: a_fwd | | sqrt \n");
    }

    TEST_CASE("what the model has read of a macro is not set aside") {
        CHECK(uses("#define ENTRY [shader(\"compute\")] [numthreads(8, 8, 1)]\n"
                   "ENTRY void f() {}") == "");
        CHECK(uses("#define OUT(T, n) RWStructuredBuffer<T> n : register(u0)\n"
                   "OUT(float, o);\nvoid f() { o[0] = 1; }") == "");
        CHECK(uses("#define BEGIN {\n#define END }\nvoid f() BEGIN END") == "");
    }

    TEST_CASE("what cannot be told is not complete") {
        CHECK(uses("#define OPEN if (a) {\nvoid f() { OPEN g(); } }").ends_with("?\n"));
        CHECK(uses("#define S g()\nvoid f() { S; }\n#if WHO_KNOWS(1)\n#undef S\n#define S h()\n"
                   "#endif\n")
                  .ends_with("?\n"));
        CHECK(uses("#define A(x) B(x)\n#define B(x) A(x)\nvoid f() { A(1); }").ends_with("?\n"));
    }

    TEST_CASE("comments, strings and directives use nothing") {
        CHECK(uses("#define S g()\nvoid f() { /* S */ h(\"S\"); } // S\n") == "");
        CHECK(uses("#define S g()\n#define T S\nvoid f() { }\n") == "");
    }
}
