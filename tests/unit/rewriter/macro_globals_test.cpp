#include "rewriter/macro_globals.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>

using namespace slimgrad;

namespace {

ModuleModel read(const std::string& text) {
    std::vector<SourceFile> files;
    files.emplace_back("f.slang", text);
    return build_module_model(std::move(files), {});
}

/// "type name: the text of its place", one line for each.
std::string globals(const ModuleModel& model) {
    std::string result;
    for (const GlobalVariable& global : model.globals)
        result += fmt::format("{} {}: {}\n", global.type, global.name, model.text(global.site));
    return result;
}

const std::string macros = "#define OUT RWStructuredBuffer<float> gOut\n"
                           "#define BUFFER(T, name, slot) RWStructuredBuffer<T> name : "
                           "register(slot)\n"
                           "#define BEGIN {\n"
                           "#define END }\n";

} // namespace

TEST_SUITE("rewriter/macro_globals") {
    TEST_CASE("a macro that is a whole declaration of the file") {
        const ModuleModel model = read(macros + "OUT; // out\n"
                                                "[Differentiable] float f(float x) { return x; }\n"
                                                "BUFFER(float, gAcc, u1);\n"
                                                "void g() { gOut[0] = f(1); gAcc[1] = 2; }\n");
        CHECK(globals(model) == "RWStructuredBuffer<float> gOut: OUT\n"
                                "RWStructuredBuffer<float> gAcc: BUFFER(float, gAcc, u1)\n");
        CHECK(model.globals[0].kind == GlobalKind::writable_buffer);
        // The function after it is whole.
        CHECK(model.trees[0].errors().empty());
        REQUIRE(model.functions.size() == 2);
        CHECK(model.functions[0].modifiers.empty());
        CHECK(model.functions[0].name == "f");
    }

    TEST_CASE("attributes of such a declaration are the macro's") {
        const ModuleModel model =
            read("#define STEPS [[vk::constant_id(1)]] const int steps = 3\nSTEPS;\n");
        REQUIRE(model.globals.size() == 1);
        REQUIRE(model.globals[0].attributes.size() == 1);
        CHECK(model.globals[0].attributes[0].from_macro);
        CHECK(model.text(model.globals[0].attributes[0].site) == "STEPS");
    }

    TEST_CASE("in bodies, types and namespaces, and as a part of a declaration, they are none") {
        CHECK(globals(read(macros + "struct S { OUT; };\n"
                                    "void f() { OUT; BUFFER(int, local, u2); }\n"
                                    "void g()\nBEGIN\nBUFFER(int, local, u2);\nEND\n"
                                    "namespace n { OUT; }\n"
                                    "// OUT;\n")) == "");
    }

    TEST_CASE("other things that macros stand for are none") {
        CHECK(globals(read("#define EMPTY\n"
                           "#define FUNCTION float f(float x) { return x; }\n"
                           "#define TWO_WAYS float a\n"
                           "#define TWO_WAYS float b\n"
                           "EMPTY; FUNCTION; TWO_WAYS;\n")) == "");
    }
}
