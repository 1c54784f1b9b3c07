#include "rewriter/macro_declarations.h"

#include "rewriter/set_aside.h"

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

/// "float p; int q", the fields of the first type.
std::string fields(const ModuleModel& model) {
    std::string result;
    for (const TypeDeclaration::Field& field : model.types.at(0).fields)
        result += fmt::format("{}{} {}", result.empty() ? "" : "; ", field.type, field.name);
    return result;
}

const std::string macros = "#define OUT RWStructuredBuffer<float> gOut\n"
                           "#define BUFFER(T, name, slot) RWStructuredBuffer<T> name : "
                           "register(slot)\n"
                           "#define BEGIN {\n"
                           "#define END }\n";

} // namespace

TEST_SUITE("rewriter/macro_declarations") {
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

    TEST_CASE("members of types, namespaces and buffers") {
        const std::string field = "#define FIELD(T, n) T n;\n#define PAIR float a; float b\n";
        for (const char* text : {"struct S { FIELD(float, p) FIELD(int, q) };",
                                 "struct S {\n  FIELD(float, p)\n  int q;\n};",
                                 "struct S { float p; FIELD(int, q); };",
                                 "struct S { float p; // FIELD(int, r)\n FIELD(int, q) }"}) {
            CAPTURE(text);
            const ModuleModel model = read(field + text + "\nfloat f(S s) { return s.p; }\n");
            CHECK(fields(model) == "float p; int q");
            CHECK(model.trees[0].errors().empty());
            CHECK(model.functions.size() == 1);
            CHECK(model.globals.empty());
            CHECK(read_macro_uses(model).empty());
        }
        CHECK(fields(read(field + "struct S { float x; PAIR; int y; };")) ==
              "float x; float a; float b; int y");
        CHECK(globals(read(field + "[A] static FIELD(float, p) float f() { return p; }")) ==
              "float p: FIELD(float, p)\n");
        CHECK(globals(read(field + "#define COUNT static int n = 0;\n"
                                   "namespace N { FIELD(float, p) struct S { COUNT }; }\n"
                                   "cbuffer C { FIELD(int, k) float d; }\n"
                                   "static float last;\n")) ==
              "float p: FIELD(float, p)\nint N.S.n: COUNT\nint k: FIELD(int, k)\nfloat d: d\n"
              "float last: last\n");
    }

    TEST_CASE("functions among them are not in the model, and hide their names") {
        const std::string text = "#define ALL float p; static int n; float get() { return p; }\n"
                                 "#define OP(name) float name(float x) { return x; }\n"
                                 "struct S { ALL }; OP(foo) OP(bar)\n"
                                 "float f(S s) { return foo(s.p); }\n";
        const ModuleModel model = read(text);
        CHECK(model.trees[0].errors().empty());
        CHECK(fields(model) == "float p");
        CHECK(model.globals.empty());
        REQUIRE(model.functions.size() == 1);
        CHECK(model.functions[0].parent_type == "");
        CHECK(read_macro_uses(model).size() == 3);
        CHECK(model.hidden_names.contains("get"));
        CHECK(model.hidden_names.contains("foo"));
        CHECK(model.calls[0].callee_kind == CalleeKind::unresolved);
    }

    TEST_CASE("in bodies and enums, and as a part of a declaration, they are none; attributes are "
              "theirs") {
        CHECK(globals(read(macros + "void f() { OUT; BUFFER(int, local, u2); }\n"
                                    "void g()\nBEGIN\nBUFFER(int, local, u2);\nEND\n"
                                    "// struct S { a;\n"
                                    "void h() { BUFFER(int, local, u2); }\n"
                                    "// OUT;\n")) == "");
        const ModuleModel model = read("#define OP(name) float name(float x) { return x; }\n"
                                       "#define A B = 4,\n"
                                       "enum E { A C };\n"
                                       "[Differentiable]\nOP(foo)\n"
                                       "float f(float x) { return x; }\n");
        REQUIRE(model.functions.size() == 1);
        CHECK(model.functions[0].attributes.empty());
        CHECK(model.functions[0].modifiers.empty());
        CHECK(model.enum_constants.size() > 0);
    }

    TEST_CASE("heads of functions") {
        const ModuleModel model =
            read("#define OP(name) float name(float x, inout float y)\n"
                 "#define DIFF(T, name) [Differentiable] static T name(T x)\n"
                 "int x;\n"
                 "OP(first) { for (int i = 0; i < 3; i++) y += sin(x); }\n"
                 "[A] public DIFF(float, second) // {\n{\n    return last(x);\n}\n"
                 "struct S {\n  DIFF(float, third) { return x; }\n};\n"
                 "float last(float x) { second(x); return x; }\n");
        CHECK(model.trees[0].errors().empty());
        REQUIRE(model.functions.size() == 4);
        const Function& first = model.functions[0];
        CHECK(first.name == "first");
        CHECK(first.return_type == "float");
        REQUIRE(first.parameters.size() == 2);
        CHECK(first.parameters[1].name == "y");
        CHECK(first.parameters[1].modifiers == std::vector<std::string>{"inout"});
        CHECK(first.from_macro);
        CHECK(first.attributes.empty());
        const Function& second = model.functions[1];
        CHECK(second.name == "second");
        REQUIRE(second.attributes.size() == 2);
        CHECK(second.attributes[0].name == "A");
        CHECK_FALSE(second.attributes[0].from_macro);
        CHECK(second.attributes[1].name == "Differentiable");
        CHECK(second.attributes[1].from_macro);
        CHECK(second.modifiers == std::vector<std::string>{"public", "static"});
        CHECK(model.functions[2].qualified_name == "S.third");
        CHECK(model.functions[3].attributes.empty());
        // What they hold is read, with their own parameters.
        REQUIRE(model.loops.size() == 1);
        CHECK(model.loops[0].function == 0);
        REQUIRE(model.calls.size() == 3);
        CHECK(model.calls[0].callee_kind == CalleeKind::builtin);
        CHECK(model.callees(model.calls[1]) == std::vector<Index>{3});
        CHECK(model.find_global("x", 0) == nullptr);
        // Calls of them are not resolved, but known to be perhaps theirs.
        CHECK(model.calls[2].callee_kind == CalleeKind::unresolved);
        CHECK(model.callees(model.calls[2]) == std::vector<Index>{1});
        CHECK(read_macro_uses(model).empty());
    }

    TEST_CASE("macros that open and close types and namespaces") {
        const ModuleModel model = read("#define BEGIN_TYPE(n) struct n {\n#define END_TYPE };\n"
                                       "#define BEGIN_N namespace N {\n#define END_N }\n"
                                       "BEGIN_TYPE(S) float a; int b; END_TYPE\n"
                                       "float f(float x) { return x; }\n"
                                       "static float c;\n"
                                       "BEGIN_N\nstatic float d;\nfloat g(float x) { return x; }\n"
                                       "END_N\n"
                                       "float h(float x) { return x; }\n");
        CHECK(globals(model) == "float c: c\nfloat d: d\n");
        REQUIRE(model.functions.size() == 3);
        for (const Function& function : model.functions)
            CHECK(function.modifiers.empty());
        CHECK(model.trees[0].errors().empty());
    }

    TEST_CASE("fields behind a brace that is not closed are no globals") {
        const ModuleModel model = read("struct S {\n    float a;\n    static float b;\n"
                                       "float g(float x) { return x; }\n"
                                       "void f() { g(1); }\n");
        CHECK(globals(model) == "");
        CHECK(model.functions.size() == 2);
        CHECK(globals(read("namespace N {\nfloat a;\nfloat g(float x) { return x; }\n")) ==
              "float a: a\n");
    }

    TEST_CASE("other things that macros stand for are none") {
        CHECK(globals(read("#define EMPTY\n"
                           "#define FUNCTION float f(float x) { return x; }\n"
                           "#define TWO_WAYS float a\n"
                           "#define TWO_WAYS float b\n"
                           "EMPTY; FUNCTION; TWO_WAYS;\n")) == "");
    }
}
