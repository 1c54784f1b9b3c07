#include "plugin/verify/coverage.h"

#include <doctest/doctest.h>

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

EmittedLoop emitted(std::uint32_t line, bool counted, bool reachable = true) {
    return {{"/project/k.slang", line, 0}, {line, line + 1}, counted, reachable, 0};
}

LoopToCover input_loop(std::uint32_t line, std::uint64_t bound) {
    LoopToCover loop;
    loop.place = {"/project/k.slang", line, 5};
    loop.bound = bound;
    loop.trip_count_is_input = true;
    return loop;
}

using Heads = std::map<std::uint32_t, std::set<std::uint64_t>>;

} // namespace

TEST_CASE("trips are two less than the passes of a differentiated loop's head") {
    const std::vector<EmittedLoop> loops{emitted(12, false), emitted(12, true)};
    CHECK_FALSE(find_gap({input_loop(12, 8)}, loops, Heads{{1, {2, 3, 9, 10}}}));
    const auto gap = find_gap({input_loop(12, 8)}, loops, Heads{{0, {1, 2, 8, 9}}, {1, {2, 3, 9}}});
    REQUIRE(gap);
    CHECK(gap->reason.starts_with("loop at k.slang:12 never ran with 8 trips; give the input"));
    CHECK(gap->place.column == 5);
}

TEST_CASE("without a differentiated form the plain loop counts") {
    const std::vector<EmittedLoop> loops{emitted(12, false)};
    CHECK_FALSE(find_gap({input_loop(12, 2)}, loops, Heads{{0, {1, 2, 3}}}));
    CHECK(find_gap({input_loop(12, 2)}, loops, Heads{{0, {2, 3, 4}}}));
}

TEST_CASE("a loop that stores ends by its own condition, or a trip later by a flag") {
    LoopToCover loop = input_loop(12, 3);
    std::vector<EmittedLoop> passes{emitted(12, true), emitted(12, true)};
    passes[0].stores = true;
    const Heads with_flag{{0, {2, 3, 4, 5}}, {1, {2, 3, 4, 5}}};
    const Heads without_flag{{0, {1, 2, 3, 4}}, {1, {1, 2, 3, 4}}};
    CHECK_FALSE(find_gap({loop}, passes, without_flag));
    CHECK(find_gap({loop}, passes, with_flag));
    passes[0].flagged = true;
    CHECK_FALSE(find_gap({loop}, passes, with_flag));
    CHECK(find_gap({loop}, passes, without_flag));
}

TEST_CASE("a do loop has at least one trip") {
    LoopToCover loop = input_loop(12, 3);
    loop.tested_at_end = true;
    CHECK_FALSE(find_gap({loop}, {emitted(12, true)}, Heads{{0, {2, 3, 4}}}));
    const auto gap = find_gap({loop}, {emitted(12, true)}, Heads{{0, {2, 3}}});
    REQUIRE(gap);
    CHECK(gap->reason.ends_with("never ran with 3 trips; give the input that sets its trip count "
                                "a range under [inputs] that makes trip counts in [1, 3]"));
}

TEST_CASE("what to give the input that sets a trip count") {
    LoopToCover loop = input_loop(12, 3);
    const auto reason = [&](const char* input) {
        loop.input = input;
        const auto gap = find_gap({loop}, {emitted(12, false)}, Heads{{0, {4}}});
        return gap ? gap->reason : "";
    };
    CHECK(reason("count") == "loop at k.slang:12 never ran with 0 and 1 and 2 trips; give "
                             "`\"count\" = [0, 3]` under [inputs]");
    // All inputs have tensors of one size: no range would help.
    CHECK(reason("verts.size(0)") ==
          "loop at k.slang:12 never ran with 0 and 1 and 2 trips; its trip count is "
          "\"verts.size[0]\", of which all inputs have one value");
}

TEST_CASE("loops that start in one line are told apart by what is around them") {
    LoopToCover outer = input_loop(12, 8), inner = input_loop(12, 4);
    inner.outer_on_line = 1;
    inner.trip_count_is_input = false;
    inner.always_bound = true;
    // Of the primal function, and of another one.
    std::vector<EmittedLoop> loops(5, emitted(12, false));
    loops[1].depth = loops[4].depth = 1;
    loops[3] = emitted(30, false);
    loops[4].place.line = 31;
    const Heads heads{{0, {1, 2, 8, 9}}, {1, {5}}, {2, {2}}, {3, {7}}, {4, {8}}};
    CHECK_FALSE(find_gap({outer, inner}, loops, heads));
    // The other way round.
    const auto gap = find_gap({outer, inner}, loops, {{0, {5}}, {1, {1, 2, 8, 9}}});
    REQUIRE(gap);
    CHECK(gap->reason.starts_with("loop at k.slang:12 never ran with 0 and 1 and 7 and 8 trips"));
}

TEST_CASE("loops in one line that cannot be told apart") {
    LoopToCover first = input_loop(12, 8), second = input_loop(12, 4);
    first.shares_line = second.shares_line = true;
    second.trip_count_is_input = false;
    second.always_bound = true;
    const std::vector<EmittedLoop> loops{emitted(12, false), emitted(12, false)};
    const Heads heads{{0, {1, 2, 8, 9}}, {1, {5}}};
    CHECK_FALSE(find_gap({second}, loops, heads));
    CHECK(find_gap({second}, loops, {}));
    const auto gap = find_gap({first, second}, loops, heads);
    REQUIRE(gap);
    CHECK(gap->reason == "loop at k.slang:12 starts in the line of another loop: how often it ran "
                         "cannot be told; give it a line of its own");
    CHECK(beyond_bound({second}, {emitted(12, true)}, {{0, {90}}}) == nullptr);
}

TEST_CASE("a loop's header ends before the next loop") {
    LoopToCover loop = input_loop(12, 8);
    const std::vector<EmittedLoop> next{emitted(14, false)};
    const Heads heads{{0, {1, 2, 8, 9}}};
    CHECK_FALSE(find_gap({loop}, next, heads)); // its header may go on
    loop.header_end = 12;
    CHECK(find_gap({loop}, next, heads)->reason ==
          "loop at k.slang:12 is not in the code for the CPU");
    loop.replaced = true; // by a custom derivative, so that nothing runs it
    CHECK_FALSE(find_gap({loop}, next, heads));
    CHECK(find_gap({loop}, {emitted(12, false)}, Heads{{0, {4}}}));
}

TEST_CASE("a loop with a fixed trip count has to be entered") {
    LoopToCover fixed = input_loop(12, 8);
    fixed.trip_count_is_input = false;
    CHECK_FALSE(find_gap({fixed}, {emitted(12, true)}, Heads{{0, {10}}}));
    REQUIRE(find_gap({fixed}, {emitted(12, true)}, {}));
    CHECK(find_gap({fixed}, {emitted(12, true)}, {})
              ->reason.starts_with("loop at k.slang:12 never ran; "));
    CHECK_FALSE(find_gap({fixed}, {emitted(12, true, false)}, {})); // another entry point's
    CHECK_FALSE(find_gap({fixed}, {}, {}));                         // unrolled
    CHECK(find_gap({input_loop(12, 8)}, {}, {}));
}

TEST_CASE("places match through relative paths, long headers, and the lines of a do loop's body") {
    LoopToCover loop = input_loop(12, 1);
    loop.place.file = "k.slang";
    const Heads enough{{0, {2, 3}}};
    CHECK_FALSE(find_gap({loop}, {emitted(12, true)}, enough));
    loop.place.line = 11; // for (int i = 0;\n i < n; ...
    CHECK_FALSE(find_gap({loop}, {emitted(12, true)}, enough));
    CHECK(
        find_gap({loop, input_loop(12, 1)}, {emitted(12, true)}, enough)); // that one is another's
    loop.place.line = 13;
    CHECK(find_gap({loop}, {emitted(12, true)}, enough));
    loop.tested_at_end = true;
    CHECK_FALSE(find_gap({loop}, {emitted(12, true)}, Heads{{0, {2}}}));
    loop.place.file = "other.slang";
    CHECK(find_gap({loop}, {emitted(12, true)}, enough));
}

TEST_CASE("a proved trip count has to be the one that is seen") {
    LoopToCover loop = input_loop(12, 8);
    loop.trip_count_is_input = false;
    loop.always_bound = true;
    CHECK_FALSE(find_gap({loop}, {emitted(12, true)}, Heads{{0, {10}}}));
    CHECK(find_gap({loop}, {emitted(12, true)}, Heads{{0, {9, 10}}}));
    // An inner loop that was unrolled is not taken for the one around it.
    loop.place.line = 13;
    CHECK_FALSE(find_gap({loop}, {emitted(12, true)}, Heads{{0, {6}}}));
}

TEST_CASE("a running loop beyond its bound") {
    const std::vector<LoopToCover> loops{input_loop(12, 4)};
    CHECK(beyond_bound(loops, {emitted(12, true)}, Heads{{0, {5}}}) == nullptr);
    CHECK(beyond_bound(loops, {emitted(12, true)}, Heads{{0, {6}}}) == &loops[0]);
    CHECK(beyond_bound(loops, {emitted(12, true)}, {}) == nullptr);
}

TEST_CASE("what the attribute allows is a promise where nothing else is known") {
    LoopToCover converges; // while (t < 1) t += dt;
    converges.place = {"/project/k.slang", 12, 5};
    converges.bound = converges.allowed = 4;
    CHECK(beyond_bound({converges}, {emitted(12, true)}, Heads{{0, {6}}}));
    CHECK(is_promise(converges));
    LoopToCover clamped = input_loop(12, 16); // for (i = 0; i < min(n, 16); ++i)
    clamped.allowed = 8;
    CHECK(beyond_bound({clamped}, {emitted(12, true)}, Heads{{0, {10}}}));
    CHECK_FALSE(is_promise(clamped));
}
