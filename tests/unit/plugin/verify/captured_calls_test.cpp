#include "plugin/verify/captured_calls.h"

#include <doctest/doctest.h>

using namespace slimgrad::verify;

TEST_CASE("captured calls: records by sample, packed for the replay") {
    InputPlan plan;
    plan.buffers.resize(2);
    plan.buffers[0].name = "gIn";
    plan.buffers[1].name = "slimgrad_records";
    KernelRun run;
    // Sample 0: two calls of two words from 10 on; the last word is zero and so no change.
    run.changes.push_back({0, 1, {{3, 0, 9}, {10, 0, 2}, {11, 0, 5}, {12, 0, 6}, {13, 0, 7}}});
    run.changes.push_back({0, 0, {{10, 0, 4}}});
    run.changes.push_back({2, 1, {{10, 0, 1000}}});
    const CapturedCalls calls(run, plan, 10, 2, 3);
    CHECK(calls.made(0) == 2);
    CHECK(calls.recorded(0) == 2);
    CHECK(calls.made(1) == 0);
    CHECK(calls.made(2) == 1000);
    CHECK(calls.recorded(2) == most_recorded_calls);
    const std::vector<double> packed = calls.packed();
    REQUIRE(packed.size() == 3 + 1 + 4 + 1 + 1 + 2 * most_recorded_calls);
    CHECK(std::vector<double>(packed.begin(), packed.begin() + 10) ==
          std::vector<double>{3, 8, 9, 2, 5, 6, 7, 0, 0, most_recorded_calls});
}
