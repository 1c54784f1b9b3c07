#include "rewriter/hidden_names.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;

namespace {

ModuleModel read(std::string text) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", std::move(text));
    return build_module_model(std::move(files));
}

std::string hidden(const ModuleModel& model, std::string_view function) {
    for (const Function& f : model.functions) {
        if (f.qualified_name != function)
            continue;
        std::string names;
        for (const std::string& name : f.hidden_names)
            names += (names.empty() ? "" : " ") + name;
        return names;
    }
    return "no such function";
}

} // namespace

TEST_SUITE("rewriter/hidden_names") {
    TEST_CASE("what a macro declares hides the names further out, in its block alone") {
        const ModuleModel model =
            read("#define FIELDS float f; int n;\n"
                 "#define CONSTS static const int d = 4;\n"
                 "#define ADD(x) s += x;\n"
                 "struct S { FIELDS float get() { return f; } }\n"
                 "namespace N { CONSTS int get() { return d; } }\n"
                 "float sum(float s) { { CONSTS s += d; } ADD(2) return s; }\n"
                 "float plain(float s) { ADD(2) return s; }\n");
        CHECK(hidden(model, "S.get") == ""); // fields of the model
        CHECK(hidden(model, "N.get") == "");
        CHECK(hidden(model, "sum") == "d");
        CHECK(hidden(model, "plain") == "");
        CHECK(model.hidden_names.empty());
    }

    TEST_CASE("functions that are not read are not what is built in") {
        const ModuleModel macro =
            read("#define MAKE(n) float n(float a) { return a; }\n"
                 "MAKE(saturate)\n"
                 "float f(float x) { return saturate(x) + lerp(x, x, x); }\n");
        CHECK(macro.hidden_names.contains("saturate"));
        REQUIRE(macro.calls.size() == 2);
        CHECK(macro.calls[0].callee_kind == CalleeKind::unresolved);
        CHECK(macro.calls[1].callee_kind == CalleeKind::builtin);

        const ModuleModel broken = read("void g() { for (int s = 0 RANGE { }\n"
                                        "float step(float a, float b) { return a; }\n"
                                        "float f(float x) { return step(x, x); }\n");
        for (const Call& call : broken.calls) {
            if (call.callee == "step")
                CHECK(call.callee_kind != CalleeKind::builtin);
        }
    }

    TEST_CASE("functions that a macro adds to a type compete with those further out") {
        const ModuleModel model = read("#define METHODS(T) T twice(T x) { return x + x; }\n"
                                       "float twice(float x) { return 2 * x; }\n"
                                       "struct M { float q; METHODS(float) float call(float x) "
                                       "{ return twice(x); } }\n"
                                       "float f(float x) { return other(x); }\n"
                                       "float other(float x) { return x; }\n");
        REQUIRE(model.calls.size() == 2);
        CHECK(model.calls[0].callee_kind == CalleeKind::unresolved);
        CHECK(model.calls[1].callee_kind == CalleeKind::function);
    }

    TEST_CASE("a namespace that a macro uses may hold any name") {
        const ModuleModel model = read("#define USING using namespace K;\n"
                                       "namespace K { static const int c = 2; }\n"
                                       "static const int c = 8;\n"
                                       "namespace N { USING int f() { return c; } }\n"
                                       "int g() { return c; }\n");
        CHECK(model.functions[0].hidden_names.contains("c"));
        CHECK(hidden(model, "g") == "");
    }
}
