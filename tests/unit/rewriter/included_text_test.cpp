#include "rewriter/included_text.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;

namespace {

/// The model of a file that includes "part.inc".
ModuleModel with_part(const std::string& text, const std::string& part) {
    return build_module_model({SourceFile("/p/a.slang", text), SourceFile("/p/part.inc", part)});
}

std::string names(const ModuleModel& model) {
    std::string result;
    for (const Function& function : model.functions)
        result += function.qualified_name + ' ';
    for (const GlobalVariable& global : model.globals)
        result += global.name + ' ';
    return result;
}

} // namespace

TEST_SUITE("rewriter/included_text") {
    TEST_CASE("text that is included into a body is not read, and nothing around it is right") {
        const ModuleModel model = with_part("float f(float x) {\n"
                                            "  for (int i = 0; i < 8; i++) {\n"
                                            "#include \"part.inc\"\n"
                                            "  }\n"
                                            "  return x;\n"
                                            "}\n"
                                            "float g(float x) { return x; }\n",
                                            "int q = 3; i += q; h(i);\n");
        CHECK(names(model) == "f g ");
        REQUIRE(model.included.size() == 1);
        CHECK(model.place(model.included[0]).line == 3);
        CHECK(model.is_broken(model.functions[0].site));
        CHECK(model.has_included_text(model.loops[0].site));
        CHECK_FALSE(model.is_broken(model.functions[1].site));
        CHECK(model.trees[1].errors().empty());
    }

    TEST_CASE("nor are fields, methods, enumerators, values and what their files include") {
        for (const std::string text :
             {"struct S {\n#include \"part.inc\"\n};\n", "enum E {\n#include \"part.inc\"\n};\n",
              "interface I {\n#include \"part.inc\"\n};\n"}) {
            const ModuleModel model = with_part(text, "float q; float h() { return q; }\n");
            CHECK(names(model) == "");
            CHECK(model.included.size() == 1);
        }
        const ModuleModel table =
            with_part("static const float t[] = {\n#include \"part.inc\"\n};\n", "1, 2, 3\n");
        CHECK(names(table) == "t ");
        CHECK(table.trees[1].errors().empty());
        CHECK(table.is_broken(table.globals[0].site));
        const ModuleModel deep =
            build_module_model({SourceFile("/p/a.slang", "void f() {\n#include \"b.inc\"\n}\n"),
                                SourceFile("/p/b.inc", "int b;\n#include \"c.inc\"\n"),
                                SourceFile("/p/c.inc", "int c;\n")});
        CHECK(names(deep) == "f ");
    }

    TEST_CASE("declarations of a file, a namespace or a cbuffer are read") {
        for (const std::string text : {"#include \"part.inc\"\nvoid f() {}\n",
                                       "namespace A {\n#include \"part.inc\"\n}\nvoid f() {}\n",
                                       "cbuffer C {\n#include \"part.inc\"\n}\nvoid f() {}\n"}) {
            const ModuleModel model = with_part(text, "float q;\n");
            CHECK(names(model) == "f q ");
            CHECK(model.included.empty());
        }
        // Once here, once there.
        const ModuleModel both = with_part(
            "#include \"part.inc\"\nvoid f() {\n#include \"part.inc\"\n}\n", "float q;\n");
        CHECK(names(both) == "f q ");
        CHECK(both.included.size() == 1);
    }

    TEST_CASE("a file that is not there may hold anything, too") {
        const ModuleModel model = build_module_model(
            {SourceFile("/p/a.slang", "void f() {\n#include WHERE\n}\nvoid g() {}\n")});
        CHECK(model.is_broken(model.functions[0].site));
        CHECK_FALSE(model.is_broken(model.functions[1].site));
    }
}
