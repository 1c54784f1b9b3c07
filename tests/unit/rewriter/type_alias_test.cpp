#include "rewriter/type_alias.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

std::string meant(const std::string& text, std::string_view type) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", text);
    return type_behind_alias(build_module_model(std::move(files)), type);
}

} // namespace

TEST_SUITE("rewriter/type_alias") {
    TEST_CASE("aliases are followed, also one after the other") {
        const std::string text = "typedef float2 vec2; typealias V = vec2; typedef float arr[4];\n";
        CHECK(meant(text, "vec2") == "float2");
        CHECK(meant(text, "V") == "float2");
        CHECK(meant(text, "arr") == "float[4]");
        CHECK(meant(text, "float2") == "float2");
        CHECK(meant(text, "vec2[3]") == "vec2[3]");
        CHECK(meant("typealias A = B; typealias B = A;\n", "C") == "C");
    }

    TEST_CASE("where the name may mean several things it stays") {
        for (const char* text :
             {"namespace A { typealias T = int; } namespace B { typealias T = float; }\n",
              "typealias T = float; struct Box<T> { T v; }\n",
              "typealias T = float; T f<T>(T x) { return x; }\n",
              "typealias T = float; void g() { typealias T = int; }\n",
              "interface I { associatedtype T; } struct A : I { typealias T = float; }\n",
              "typealias T<let N : int> = vector<float, N>;\n",
              "typealias T = float; struct T { int a; }\n"}) {
            CAPTURE(std::string(text));
            CHECK(meant(text, "T") == "T");
        }
        CHECK(meant("typealias T = float; namespace A { typealias T = float; }\n", "T") == "float");
    }
}
