#include "rewriter/branches.h"

#include <doctest/doctest.h>

using namespace slimgrad;

TEST_CASE("branches_of: conditions of if, ?: and switch, in order, of one function") {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang",
                       "float g(float x) { return x > 7 ? 1 : 2; }\n"
                       "float f(float x, int n) {\n"
                       "  for (int i = 0; i < n; ++i) {\n"
                       "    if (x > 1) { x = x < 2 ? x : 3; }\n"
                       "    else if (x > 4) return x;\n"
                       "  }\n"
                       "  switch (n) { case 0: if (n > 5) x = 1; break; default: break; }\n"
                       "  while (x > 6) x -= 1;\n"
                       "  return x;\n"
                       "}\n");
    const ModuleModel model = build_module_model(std::move(files));
    REQUIRE(model.find_functions("f").size() == 1);
    std::string found;
    for (const Branch& branch : branches_of(model, model.find_functions("f")[0]))
        found += std::string(model.text({branch.file, branch.condition})) + ";";
    CHECK(found == "x > 1;x < 2;x > 4;n;n > 5;");
}
