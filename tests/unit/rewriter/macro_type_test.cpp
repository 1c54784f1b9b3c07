#include "rewriter/macro_type.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

ModuleModel read(const std::string& text) {
    std::vector<SourceFile> files;
    files.emplace_back("f.slang", text);
    return build_module_model(std::move(files), {});
}

const std::string macros = "#define vec3 float3\n#define N 4\n#define REAL float\n"
                           "#define AS(T) T\n#define CONST(T) static const T\n"
                           "#define LOOP(n) for (int i = 0; i < n; i++)\n"
                           "#define KERNEL [shader(\"compute\")] [numthreads(1, 1, 1)] void\n"
                           "#define EMPTY\n#define VALUE(x) (x + 1)\n";

} // namespace

TEST_SUITE("rewriter/macro_type") {
    TEST_CASE("the type that macros stand for") {
        const ModuleModel model = read(macros);
        const auto type = [&](std::string_view written) {
            return type_behind_macros(model, written).value_or("(none)");
        };
        CHECK(type("vec3") == "float3");
        CHECK(type("float3") == "float3");
        CHECK(type("Vec<N>") == "Vec<N>"); // a number stays as it is written
        CHECK(type("Pair<REAL, N>") == "Pair<float, 4>");
        CHECK(type("AS(float)") == "float");
        CHECK(type("AS(Vec<N>)") == "Vec<4>");
        CHECK(type("CONST(vec3)") == "float3");
        CHECK(type("KERNEL") == "void");
        CHECK(type("LOOP(4)") == "(none)");
        CHECK(type("UNKNOWN(4)") == "(none)");
        CHECK(type("VALUE(4)") == "(none)");
        CHECK(type("EMPTY") == "(none)");
        CHECK(type("") == "");
    }

    TEST_CASE("declarations of a function, its parameters, variables and members") {
        const ModuleModel model =
            read(macros + "#define IN no_diff in vec3\n#define SHARED groupshared REAL\n"
                          "SHARED tile[N];\nstruct S { vec3 v; };\n"
                          "KERNEL main(IN p, vec3 q) { vec3 r = q; CONST(REAL) k = 1; }\n"
                          "[Differentiable] vec3 f(REAL x) { return vec3(x); }\n");
        REQUIRE(model.functions.size() == 2);
        const Function& main = model.functions[0];
        CHECK(main.return_type == "void");
        CHECK(main.from_macro);
        REQUIRE(main.attributes.size() == 2);
        CHECK(main.attributes[0].name == "shader");
        CHECK(main.attributes[1].arguments == std::vector<std::string>{"1", "1", "1"});
        CHECK(main.attributes[1].from_macro);
        CHECK(model.text(main.attributes[1].site) == "KERNEL");
        REQUIRE(main.parameters.size() == 2);
        CHECK(main.parameters[0].modifiers == std::vector<std::string>{"no_diff", "in"});
        CHECK(main.parameters[0].type == "float3");
        CHECK(main.parameters[1].type == "float3");
        CHECK(model.functions[1].return_type == "float3");
        CHECK_FALSE(model.functions[1].from_macro);
        REQUIRE(model.locals.size() == 2);
        CHECK(model.locals[0].type == "float3");
        CHECK(model.locals[1].type == "float");
        CHECK(model.locals[1].is_static);
        REQUIRE(model.globals.size() == 1);
        CHECK(model.globals[0].kind == GlobalKind::groupshared);
        CHECK(model.globals[0].type == "float[N]");
        CHECK(model.types[0].fields[0].type == "float3");
        REQUIRE(model.calls.size() == 1);
        CHECK(model.calls[0].callee == "float3");
        CHECK(model.calls[0].callee_kind == CalleeKind::construction);
    }

    TEST_CASE("callees that macros stand for") {
        const ModuleModel model =
            read("#define mix lerp\n#define mine_too mine\n#define mine own\n"
                 "#define F(x) own(x)\n#define NUMBER 3\nfloat own(float x) { return x; }\n"
                 "float f(float x) { return mix(x, mine_too(x), NUMBER) + mine(x) + F(x); }\n");
        std::vector<std::string> callees;
        for (const Call& call : model.calls)
            callees.push_back(call.callee);
        CHECK(callees == std::vector<std::string>{"lerp", "own", "own", "F"});
        CHECK(model.calls[0].callee_kind == CalleeKind::builtin);
        CHECK(model.calls[1].target == 0);
        CHECK(model.calls[2].target == 0);
        CHECK(model.text(model.calls[0].site) == "mix(x, mine_too(x), NUMBER)");
    }
}
