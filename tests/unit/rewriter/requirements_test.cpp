#include "rewriter/requirements.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

/// Qualified names of what the method may implement, in the order of the text.
std::vector<std::string> requirements(const std::string& text, const std::string& method) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", text);
    const ModuleModel model = build_module_model(std::move(files));
    std::vector<std::string> names;
    for (Index i = 0; i < model.functions.size(); ++i) {
        if (model.functions[i].qualified_name != method)
            continue;
        for (const Index requirement : requirements_of(model, i))
            names.push_back(model.functions[requirement].qualified_name);
    }
    return names;
}

using Names = std::vector<std::string>;

} // namespace

TEST_SUITE("rewriter/requirements") {
    TEST_CASE("of a base, by name and number of parameters") {
        const std::string text = "interface I { float f(float x); float f(float x, int n); float "
                                 "g(); }\n"
                                 "struct S : I { float f(float x) { return x; } float h() { return "
                                 "1; } }\n";
        CHECK(requirements(text, "S.f") == Names{"I.f"});
        CHECK(requirements(text, "S.h").empty());
        CHECK(requirements(text, "I.f").empty());
    }

    TEST_CASE("through other interfaces and through extensions") {
        const std::string text = "interface A { void f(); }\ninterface B : A { void g(); }\n"
                                 "struct S : B { void f() { } void g() { } }\n"
                                 "struct T { }\nextension T : B { void f() { } void g() { } }\n"
                                 "struct U { void f() { } }\n";
        CHECK(requirements(text, "S.f") == Names{"A.f"});
        CHECK(requirements(text, "S.g") == Names{"B.g"});
        CHECK(requirements(text, "T.f") == Names{"A.f"});
        CHECK(requirements(text, "U.f").empty());
    }

    TEST_CASE("a method of a base struct is none") {
        const std::string text = "struct Base { void f() { } }\nstruct S : Base { void f() { } }\n";
        CHECK(requirements(text, "S.f").empty());
    }

    TEST_CASE("generic types, namespaces and circles") {
        const std::string text = "namespace N { interface I { void f(); } }\n"
                                 "struct Box<T, let C : int> : N.I { void f() { } }\n"
                                 "interface P : Q { void f(); }\ninterface Q : P { void f(); }\n"
                                 "struct S : P { void f() { } }\n"
                                 "void f() { }\n";
        CHECK(requirements(text, "Box.f") == Names{"N.I.f"});
        CHECK(requirements(text, "S.f") == Names{"P.f", "Q.f"});
        CHECK(requirements(text, "f").empty());
    }
}
