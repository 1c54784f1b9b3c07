#include "rewriter/macro_text.h"

#include "rewriter/module_model.h"

#include <doctest/doctest.h>

namespace slimgrad {
namespace {

ModuleModel model_of(const std::string& text) {
    std::vector<SourceFile> files;
    files.emplace_back("a.slang", text);
    return build_module_model(std::move(files));
}

} // namespace

TEST_SUITE("rewriter/macro_text") {
    TEST_CASE("macros are replaced, also in what they stand for") {
        const ModuleModel model = model_of("#define REAL float\n"
                                           "#define INOUT(type) inout type\n"
                                           "#define PAIR(a, b) a##b, INOUT(REAL)\n");
        CHECK(expand_macros(model, "INOUT(float3) p") == "inout float3 p");
        CHECK(expand_macros(model, "REAL x, REALLY y") == "float x, REALLY y");
        CHECK(expand_macros(model, "PAIR(f(1, 2), x) y") == "f(1, 2)x, inout float y");
        CHECK(expand_macros(model, "INOUT x") == "INOUT x"); // no use without arguments
        CHECK(expand_macros(model, "") == "");
    }
    TEST_CASE("arguments are replaced before they are put in, unless they are joined") {
        const ModuleModel model = model_of("#define LONG long_name\n"
                                           "#define JOIN2(a, b) a ## b\n"
                                           "#define JOIN(a, b) JOIN2(a, b)\n"
                                           "#define add JOIN(LONG, Add)\n"
                                           "#define MAX(a, b) ((a) < (b) ? (b) : (a))\n"
                                           "#define wrapped wrap(wrapped)\n"
                                           "#define SAME(x) x\n"
                                           "int add(int a) { return a; }\n");
        CHECK(expand_macros(model, "JOIN2(LONG, Add)") == "LONGAdd");
        CHECK(expand_macros(model, "add") == "long_nameAdd");
        CHECK(expand_macros(model, "MAX(x, MAX(y, z))") ==
              "((x) < (((y) < (z) ? (z) : (y))) ? (((y) < (z) ? (z) : (y))) : (x))");
        CHECK(expand_macros(model, "SAME(SAME(wrapped))") == "wrap(wrapped)");
        REQUIRE(model.functions.size() == 1);
        CHECK(model.functions[0].name == "long_nameAdd");
    }
    TEST_CASE("a macro whose name is used behind its #undef is none for certain") {
        const ModuleModel model = model_of("#define REAL float\n#define HALF half\n"
                                           "REAL f(REAL x, HALF y) { return x; }\n"
                                           "#undef REAL\n#undef HALF\n"
                                           "typedef int REAL; // HALF\n"
                                           "REAL g() { return 2; }\n"
                                           "#define HALF half\n"
                                           "HALF h() { return 2; }\n");
        CHECK(expand_macros(model, "HALF") == "half");
        CHECK(!expand_macros(model, "REAL").has_value());
        REQUIRE(model.functions.size() == 3);
        CHECK(model.functions[0].return_type == "float");
        CHECK(model.functions[0].parameters[1].type == "half");
        CHECK(model.functions[1].return_type == "REAL");
    }
    TEST_CASE("macros that do not fit or do not end") {
        const ModuleModel model = model_of("#define INOUT(type) inout type\n"
                                           "#define SELF SELF + OTHER\n"
                                           "#define OTHER SELF\n");
        CHECK(!expand_macros(model, "INOUT(a, b) x").has_value());
        CHECK(expand_macros(model, "SELF") == "SELF + SELF");
        std::string doubling;
        for (int i = 1; i < 14; ++i)
            doubling += "#define D" + std::to_string(i) + " D" + std::to_string(i - 1) + " D" +
                        std::to_string(i - 1) + " D" + std::to_string(i - 1) + "\n";
        CHECK(!expand_macros(model_of(doubling), "D13").has_value());
    }
    TEST_CASE("parameters and types that macros stand for") {
        const ModuleModel model =
            model_of("#define INOUT(type) inout type\n#define ID uint3 id : SV_DispatchThreadID\n"
                     "#define BOTH float a, no_diff float b = 2\n#define AS(type) type\n"
                     "AS(float) f(INOUT(float3) p, BOTH, float c[2]) { return 1; }\n"
                     "void main(ID) {}\nvoid g(Unknown(3) x, float3) {}\n");
        const auto parameter = [&](Index function, std::size_t i) {
            const Parameter& read = model.functions[function].parameters.at(i);
            std::string text;
            for (const std::string& modifier : read.modifiers)
                text += modifier + ' ';
            text += read.type + ' ' + read.name;
            if (!read.semantic.empty())
                text += " : " + read.semantic;
            return text + (read.default_value ? " = " + *read.default_value : "");
        };
        REQUIRE(model.functions.size() == 3);
        CHECK(model.functions[0].return_type == "float");
        REQUIRE(model.functions[0].parameters.size() == 4);
        CHECK(parameter(0, 0) == "inout float3 p");
        CHECK(parameter(0, 1) == "float a");
        CHECK(parameter(0, 2) == "no_diff float b = 2");
        CHECK(parameter(0, 3) == "float[2] c");
        // They stand where the macro is used.
        CHECK(model.text(model.functions[0].parameters[0].site) == "INOUT(float3) p");
        CHECK(model.text(model.functions[0].parameters[2].site) == "BOTH");
        REQUIRE(model.functions[1].parameters.size() == 1);
        CHECK(parameter(1, 0) == "uint3 id : SV_DispatchThreadID");
        // What is no macro of the module stays as it is written.
        REQUIRE(model.functions[2].parameters.size() == 2);
        CHECK(parameter(2, 0) == "Unknown(3) x");
        CHECK(parameter(2, 1) == "float3 ");
    }
}

} // namespace slimgrad
