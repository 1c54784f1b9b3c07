#include "plugin/trial/source_loops.h"

#include <doctest/doctest.h>

using namespace slimgrad;

TEST_CASE("source_loops: lines, and the least of what is proved and promised") {
    const ModuleModel model = build_module_model({SourceFile("a.slang", R"(
float f(int n, float x) {
    for (int i = 0; i < 8; i += 2)
        x *= 2;
    [MaxIters(12)]
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < min(n, 5); ++k)
            x += 1;
        while (x < 3)
            x *= 2;
    }
    return x;
}
)")});
    const std::vector<LoopTrips> loops = source_loops(model, {});
    REQUIRE(loops.size() == 4);
    CHECK(loops[0].file == "a.slang");
    CHECK(loops[0].first_line == 3);
    CHECK(loops[0].last_line == 4);
    CHECK(loops[0].trips == 4);
    CHECK(loops[0].step == 2);
    CHECK(loops[1].first_line == 6);
    CHECK(loops[1].last_line == 11);
    CHECK(loops[1].trips == 12);
    CHECK(loops[2].trips == 5);
    CHECK(loops[3].trips == 0);
    CHECK(loops[3].step == 1);
}

TEST_CASE("source_loops: of a generic function the specialization with the most trips") {
    const ModuleModel model = build_module_model({SourceFile("a.slang", R"(
float f<let N : int>(float x) {
    for (int i = 0; i < N; ++i)
        x *= 2;
    return x;
}
float g(float x) { return f<4>(x) + f<9>(x); }
)")});
    CHECK(source_loops(model, {}).at(0).trips == 9);
}
