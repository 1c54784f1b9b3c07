#include "plugin/verify/float_loss.h"

#include <doctest/doctest.h>
#include <vector>

using namespace slimgrad::verify;

namespace {

InputPlan plan_of(ScalarKind kind) {
    InputPlan plan;
    plan.buffers.push_back({"gGrad", 8, size_of(kind), true, {{"", 0, kind, {}}}, {}});
    return plan;
}

/// By sample, the values of the first elements.
KernelRun wrote(const std::vector<std::vector<double>>& samples, ScalarKind kind) {
    KernelRun run;
    for (std::uint32_t sample = 0; sample < samples.size(); ++sample) {
        run.changes.push_back({sample, 0, {}});
        for (std::size_t i = 0; i < samples[sample].size(); ++i)
            run.changes.back().changes.push_back(
                {i, bits_of_value(9, kind), bits_of_value(samples[sample][i], kind)});
    }
    return run;
}

std::string loss(const std::vector<std::vector<double>>& single,
                 const std::vector<std::vector<double>>& in_double) {
    return find_loss(wrote(single, ScalarKind::float32), plan_of(ScalarKind::float32),
                     wrote(in_double, ScalarKind::float64), plan_of(ScalarKind::float64));
}

} // namespace

TEST_CASE("what is 0 in float and not in double, for most inputs") {
    const std::vector<std::vector<double>> exact{{3e-4, 1}, {3e-4, 2}, {3e-4, 3}, {3e-4, 4}};
    CHECK(loss({{0, 1}, {0, 2}, {0, 3}, {0, 4}}, exact) ==
          "gGrad[0] is 0 as the kernel computes it and 0.0003 in double (input 0, on 4 of 4 "
          "inputs)");
    CHECK(loss(exact, exact) == "");
    CHECK(loss({{0, 1}, {0, 2}, {3e-4, 3}, {3e-4, 4}}, exact) == ""); // now and then
    CHECK(loss({{1e-8, 1}, {1e-8, 2}, {0, 3}, {0, 4}}, exact) != ""); // flushed in part
}

TEST_CASE("what float cannot hold, what the buffer makes negligible, what is the other way round") {
    const std::vector<std::vector<double>> zero{{0, 1}, {0, 1}, {0, 1}, {0, 1}};
    CHECK(loss(zero, {{1e-60, 1}, {1e-60, 1}, {1e-60, 1}, {1e-60, 1}}) == "");
    CHECK(loss(zero, {{1e-9, 1}, {1e-9, 1}, {1e-9, 1}, {1e-9, 1}}) == "");
    CHECK(loss({{1e-8, 1}, {1e-8, 1}, {1e-8, 1}}, {{1e-17, 1}, {0, 1}, {1e-17, 1}}) == "");
    CHECK(loss({{0}, {0}, {0}}, {{1e-20}, {1e-20}, {1e-20}}) != "");
}
