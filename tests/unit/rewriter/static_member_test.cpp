#include "rewriter/static_member.h"

#include "rewriter/variable_flow.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

ModuleModel read(const std::string& text) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", text);
    return build_module_model(std::move(files));
}

constexpr const char* types =
    "struct Tab { static int hits = 0; static const int SIZE = 4; float d;\n"
    "  [mutating] void fill() { hits++; } }\n"
    "struct Der : Tab { void m() { } }\n"
    "extension Tab { void ext() { } }\n"
    "struct Box<T> { static int n = 0; T v; int hits; void bump() { } }\n"
    "namespace N { struct Inn { static float f = 0; struct Deep { static int z; void deep() { } }; "
    "}; }\n"
    "enum Mode { hits, n }\n"
    "typealias Alias = Tab;\n"
    "static float hits2; static int n;\n"
    "void free() { }\n";

std::string shown(const ModuleModel& model, const std::optional<StaticMember>& member) {
    if (!member)
        return "none";
    std::string names;
    for (const Index global : member->globals)
        names += model.globals[global].name + " ";
    return fmt::format("{}{}{}{}", names, member->members, member->is_certain ? "" : " perhaps",
                       member->is_generic ? " generic" : "");
}

/// Of a name in the body of the function.
std::string found(const std::string& function, const std::string& name,
                  const std::vector<std::string>& members = {}) {
    const ModuleModel model = read(types);
    const auto functions = model.find_functions(function);
    REQUIRE(functions.size() == 1);
    return shown(model, StaticMembers(model).find(functions[0], name, members));
}

std::string of_object(const std::string& type, const std::vector<std::string>& members) {
    const ModuleModel model = read(types);
    return shown(model, StaticMembers(model).find(type, members));
}

/// "Tab.hits: 2 uses, 1 definition, 1 in part": what `f` does with static members.
std::string flow(const std::string& body) {
    const ModuleModel model =
        read(types + std::string("void touch(inout int x) { x++; }\n") + "void f(int a) " + body);
    const FunctionFlow flow = read_flow(model, model.find_functions("f")[0]);
    std::vector<std::string> result;
    for (Index i = 0; i < flow.variables.size(); ++i) {
        if (flow.variables[i].kind != VariableKind::global)
            continue;
        const auto uses = std::count_if(flow.uses.begin(), flow.uses.end(),
                                        [&](const Use& use) { return use.variable == i; });
        int whole = 0, partial = 0;
        for (const Definition& definition : flow.definitions)
            if (definition.variable == i && definition.kind != DefinitionKind::entry)
                ++(definition.partial ? partial : whole);
        result.push_back(fmt::format("{} used {} set {} in part {}", flow.variables[i].name, uses,
                                     whole, partial));
    }
    return fmt::format("{}", fmt::join(result, "; "));
}

} // namespace

TEST_SUITE("rewriter/static_member") {
    TEST_CASE("by its name alone in methods of its type, of extensions, of what inherits it") {
        CHECK(found("fill", "hits") == "Tab.hits 0");
        CHECK(found("ext", "hits") == "Tab.hits 0");
        CHECK(found("m", "hits", {"x"}) == "Tab.hits 0");
        CHECK(found("deep", "z") == "N.Inn.Deep.z 0");
        CHECK(found("deep", "f") == "N.Inn.f 0");
        CHECK(found("free", "hits") == "none");
        CHECK(found("free", "n") == "none");
        CHECK(found("deep", "hits") == "none");
    }

    TEST_CASE("by its type's name") {
        CHECK(found("free", "Tab", {"hits"}) == "Tab.hits 1");
        CHECK(found("free", "Der", {"hits"}) == "Tab.hits 1");
        CHECK(found("ext", "This", {"hits"}) == "Tab.hits 1");
        CHECK(found("free", "N", {"Inn", "f", "x"}) == "N.Inn.f 2");
        CHECK(found("deep", "Inn", {"f"}) == "N.Inn.f 1");
        CHECK(found("free", "Tab", {"SIZE"}) == "Tab.SIZE 1");
        CHECK(found("free", "Mode", {"hits"}) == "none");
        CHECK(found("free", "Tab", {"other"}) == "none");
    }

    TEST_CASE("what is one variable for each type argument, and what is known by another name") {
        CHECK(found("bump", "n") == "Box.n 0 generic");
        CHECK(found("free", "Box", {"n"}) == "Box.n 1 generic");
        CHECK(found("free", "Alias", {"hits"}) == "Tab.hits 1");
    }

    TEST_CASE("of an object") {
        CHECK(of_object("Tab", {"hits"}) == "Tab.hits 1");
        CHECK(of_object("Der", {"hits", "x"}) == "Tab.hits 1");
        CHECK(of_object("Tab[3]", {"d"}) == "none");
        CHECK(of_object("Box<int>", {"hits"}) == "none");
        CHECK(of_object("Box<Tab>", {"n"}) == "Box.n 1 generic");
        CHECK(of_object("float3", {"n"}) == "none");
        CHECK(of_object("", {"hits"}) == "Tab.hits 1 perhaps");
    }

    TEST_CASE("flow: a static member is a global of its own") {
        CHECK(flow("{ Tab.hits = a; int b = Tab.hits + Tab::hits; touch(Tab.hits); }") ==
              "Tab.hits used 3 set 2 in part 1");
        CHECK(flow("{ Tab t; t.hits = 2; t.d = t.hits; Der.hits += 1; }") ==
              "Tab.hits used 2 set 2 in part 0");
        CHECK(flow("{ Box<int>.n = 1; Box<float> b; b.n = Box<int>.n; }") ==
              "Box.n used 1 set 0 in part 2");
        CHECK(flow("{ int hits2 = 3; hits2 = n; }") == "n used 1 set 0 in part 0");
        CHECK(flow("{ Tab t; t.fill(); int a2 = Tab.hits; }") == "Tab.hits used 1 set 0 in part 1");
    }
}
