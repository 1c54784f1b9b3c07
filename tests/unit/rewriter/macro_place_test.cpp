#include "rewriter/macro_place.h"

#include "rewriter/set_aside.h"
#include "rewriter/variable_flow.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;

namespace {

ModuleModel read(const std::string& text, const std::vector<std::string>& defines = {}) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", text);
    return build_module_model(std::move(files), defines);
}

/// What N stands for at each `N;` of the text: "4 - ?" where it is 4, none, not certain.
std::string meanings(const std::string& text, const std::vector<std::string>& defines = {}) {
    const ModuleModel model = read(text, defines);
    std::string result;
    for (auto at = text.find("N;"); at != std::string::npos; at = text.find("N;", at + 1)) {
        const Site place{0, {std::uint32_t(at), std::uint32_t(at + 1)}};
        const auto here = macro_at(model, "N", place);
        result += (result.empty() ? "" : " ") + (!here ? "?" : *here ? (*here)->body : "-");
    }
    return result;
}

} // namespace

TEST_SUITE("rewriter/macro_place") {
    TEST_CASE("a macro holds from its #define to its #undef") {
        CHECK(meanings("N; \n#define N 4\nN;\n#define N 5\nN;\n# undef N\nN;\n#define N 6\nN;") ==
              "- 4 5 - 6");
        CHECK(meanings("N;\n#undef N\nN;\n#define N 4\nN;", {"N=3"}) == "3 - 4");
        CHECK(meanings("#define N 4\n// #undef N\n/* undef N */ int undef; N;\nN;") == "4 4");
        CHECK(meanings("#define N 4\n#if 0\n#undef N\n#endif\nN;\n#undef NN\nN;") == "4 4");
        CHECK(meanings("#define N 4\n#if UNKNOWN(3)\n#undef N\n#endif\nN;") == "?");
    }

    TEST_CASE("where it does not, a name is itself") {
        const ModuleModel model = read("int above(int a) { return a; }\n"
                                       "#define int uint\n"
                                       "int holds(int a) { return a; }\n"
                                       "#undef int\n"
                                       "#define wrap(x) (x)\n"
                                       "int c = wrap(2);\n"
                                       "#undef wrap\n"
                                       "int wrap(int a);\n"
                                       "int wrap(int a) { return a; }\n");
        REQUIRE(model.functions.size() == 4);
        CHECK(model.functions[3].name == "wrap");
        for (const Function& function : model.functions)
            CHECK_FALSE(function.from_macro);
        for (const MacroUse& use : read_macro_uses(model))
            CHECK(model.text(use.site) != "int");
        CHECK(model.functions[0].parameters[0].type == "int");
        CHECK(model.functions[1].parameters[0].type == "uint");
        CHECK(model.functions[1].return_type == "uint");
        CHECK(model.functions[3].parameters[0].type == "int");
    }

    TEST_CASE("a variable has the name where the macro does not hold") {
        const ModuleModel model = read("#define N 4\n"
                                       "int first() { return N; }\n"
                                       "#undef N\n"
                                       "static const int N = 6;\n"
                                       "int second() { return N; }\n");
        REQUIRE(model.functions.size() == 2);
        CHECK(read_flow(model, 0).uses.empty());
        CHECK(read_flow(model, 1).uses.size() == 1);
    }
}
