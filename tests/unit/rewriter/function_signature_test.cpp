#include "rewriter/function_signature.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

const std::string text = "struct A { float scale(inout float x, out int n) { n = 1; return x; } }\n"
                         "float f(float x, float y) { return x; }\n"
                         "A operator+(A a, A b) { return a; }\n";

std::vector<FunctionSignature> signatures() {
    return {{"A.scale",
             {"/p/a.slang", 1, 18},
             "float",
             {{"x", "float", true, true}, {"n", "int", false, true}},
             {}},
            {"f", {"/p/a.slang", 2, 7}, "float", {{"x", "float"}, {"y", "float"}}, {}},
            {"+", {"/p/a.slang", 3, 11}, "A", {{"a", "A"}, {"b", "A"}}, {}}};
}

/// "f: to the compiler .."; for each contradiction a line.
std::string contradictions(const std::vector<FunctionSignature>& seen,
                           const std::string& source = text) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", source);
    ModuleModel model = build_module_model(std::move(files));
    confirm_functions(model, seen);
    std::string listed;
    for (const Contradiction& contradiction : model.contradictions) {
        const Function& function = model.functions[contradiction.function];
        CHECK(model.is_broken(function.site));
        listed += function.qualified_name + ": " + contradiction.what + "\n";
    }
    CHECK(listed.empty() != model.is_broken({0, {0, std::uint32_t(source.size())}}));
    return listed;
}

} // namespace

TEST_SUITE("rewriter/function_signature") {
    TEST_CASE("what the compiler sees as it was read is no contradiction") {
        CHECK(contradictions(signatures()).empty());
        CHECK(contradictions({}).empty()); // nothing was reflected
    }

    TEST_CASE("another number, name or direction of parameters, another name") {
        auto seen = signatures();
        seen[1].parameters.pop_back();
        CHECK(contradictions(seen) ==
              "f: to the compiler the number of its parameters is 1 where 2 is read\n");
        seen = signatures();
        seen[1].parameters[1].name = "z";
        CHECK(contradictions(seen) ==
              "f: to the compiler its parameter 2 is 'in z' where 'in y' is read\n");
        seen = signatures();
        seen[0].parameters[0].is_out = false;
        CHECK(contradictions(seen) ==
              "A.scale: to the compiler its parameter 1 is 'in x' where 'inout x' is read\n");
        seen = signatures();
        seen[1].name = "g";
        CHECK(contradictions(seen) == "f: to the compiler it is named 'g'\n");
    }

    TEST_CASE("a function that the compiler does not know") {
        auto seen = signatures();
        seen.erase(seen.begin() + 1);
        CHECK(contradictions(seen) == "f: the compiler has no such function\n");
        // Under a name that #line gave the file nothing can be told.
        seen[0].place.file = "/p/renamed.slang";
        CHECK(contradictions(seen).empty());
    }

    TEST_CASE("a #line gives functions other places") {
        const std::string renamed = text +
                                    "#line 2\nfloat g(float x, float y, float z) { return x; }\n"
                                    "  # 40 \"b.slang\"\nfloat h(float x) { return x; }\n";
        auto seen = signatures();
        seen.push_back({"g",
                        {"/p/a.slang", 2, 7},
                        "float",
                        {{"x", "float"}, {"y", "float"}, {"z", "float"}},
                        {}});
        seen.push_back({"h", {"b.slang", 40, 7}, "float", {{"x", "float"}}, {}});
        CHECK(contradictions(seen, renamed).empty());
        const ModuleModel model = [&] {
            std::vector<SourceFile> files;
            files.emplace_back("/p/a.slang", renamed + "// #line 7\n");
            return build_module_model(std::move(files));
        }();
        REQUIRE(model.functions.size() == 5);
        CHECK(!is_renamed(model, model.functions[2].name_site));
        CHECK(is_renamed(model, model.functions[3].name_site));
        CHECK(is_renamed(model, model.functions[4].name_site));
    }
    TEST_CASE("what a macro declares, and parameters without names, are not compared") {
        CHECK(contradictions(
                  {{"f", {"/p/a.slang", 1, 6}, "float", {{"SLANG_anonymous_1", "float"}}, {}}},
                  "void f(float) { }\n")
                  .empty());
        CHECK(contradictions({{"myFn", {"/p/a.slang", 1, 9}, "float", {{"y", "float"}}, {}},
                              {"f", {"/p/a.slang", 3, 6}, "void", {}, {}}},
                             "#define MAKE(f) float f(float y) { return y; }\n"
                             "MAKE(myFn)\n"
                             "void f() { }\n")
                  .empty());
    }
}
