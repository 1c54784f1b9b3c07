#include "plugin/verify/comparison.h"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

InputPlan one_buffer(ScalarKind kind) {
    InputPlan plan;
    plan.buffers.push_back({"gGrad", 8, size_of(kind), true, {{"", 0, kind, {}}}, {}});
    return plan;
}

/// A run that changed the first elements, all of them 9 before, to these values; a value of 9 stays
/// unchanged.
KernelRun wrote(const std::vector<double>& values, ScalarKind kind) {
    KernelRun run;
    run.changes.push_back({0, 0, {}});
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != 9)
            run.changes[0].changes.push_back(
                {i, bits_of_value(9, kind), bits_of_value(values[i], kind)});
    return run;
}

Comparison compare(const std::vector<double>& original, const std::vector<double>& rewritten,
                   ScalarKind kind = ScalarKind::float32) {
    const InputPlan plan = one_buffer(kind);
    return compare_runs(wrote(original, kind), plan, wrote(rewritten, kind), plan, 1e-5);
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("the same bits") {
    const Comparison result = compare({1, 2, 3}, {1, 2, 3});
    CHECK(result.bit_equal);
    CHECK_FALSE(result.difference);
    CHECK(result.any_not_zero);
    CHECK_FALSE(compare({0, 0}, {0, 0}).any_not_zero);
}

TEST_CASE("the tolerance is relative to the larger value or to the buffer's RMS") {
    const Comparison close = compare({1, 2}, {1.000005, 2});
    CHECK_FALSE(close.bit_equal);
    CHECK_FALSE(close.difference);
    CHECK(close.largest_error == doctest::Approx(5e-6 / std::sqrt(2.5)).epsilon(0.02));
    REQUIRE(compare({1, 1}, {1.00002, 1}).difference);
    CHECK(compare({1, 1}, {1.00002, 1}).difference->element == 0);
    // A value near zero beside large ones carries their rounding.
    CHECK_FALSE(compare({1e-7, 1000}, {2e-7, 1000}).difference);
    CHECK(compare({1e-7, 1e-7}, {2e-7, 1e-7}).difference);
}

TEST_CASE("a scalar that only one run changed is compared with its first value") {
    const Comparison result = compare({1, 9, 3}, {1, 2, 3});
    REQUIRE(result.difference);
    CHECK(result.difference->element == 1);
    CHECK(result.difference->original == 9);
    CHECK(result.difference->rewritten == 2);
    CHECK(compare({1, 5}, {1, 9}).difference->rewritten == 9);
    CHECK_FALSE(compare({9, 9, 3}, {9, 9, 3}).difference);
}

TEST_CASE("NaN equals nothing, infinity itself") {
    const Comparison both = compare({1, not_a_number}, {1, not_a_number});
    CHECK_FALSE(both.difference);
    REQUIRE(both.not_finite);
    CHECK(both.not_finite->element == 1);
    CHECK(compare({1, 2}, {1, not_a_number}).difference);
    CHECK(compare({1, not_a_number}, {1, 2}).difference);
    CHECK(compare({infinity}, {infinity}).not_finite);
    CHECK(compare({infinity}, {-infinity}).difference);
    CHECK(compare({1, 2}, {1, infinity}).difference);
}

TEST_CASE("integers and booleans have to be the same") {
    CHECK(compare({1'000'000}, {1'000'001}, ScalarKind::int32).difference);
    CHECK_FALSE(compare({1'000'000}, {1'000'000}, ScalarKind::int32).difference);
    CHECK(compare({1}, {0}, ScalarKind::boolean).difference);
    CHECK(compare({1}, {1.001}, ScalarKind::half).difference);
}

TEST_CASE("doubles are held to what double arithmetic can do") {
    CHECK_FALSE(compare({1}, {1 + 1e-11}, ScalarKind::float64).difference);
    CHECK(compare({1}, {1 + 1e-9}, ScalarKind::float64).difference);
}

TEST_CASE("words of byte-address buffers: floats by tolerance, the rest by bits") {
    CHECK_FALSE(compare({1, 2}, {1.000005, 2}, ScalarKind::word).difference);
    InputPlan plan = one_buffer(ScalarKind::word);
    KernelRun seven, eight;
    seven.changes.push_back({0, 0, {{0, 0, 7}}});
    eight.changes.push_back({0, 0, {{0, 0, 8}}});
    CHECK(compare_runs(seven, plan, eight, plan, 1e-5).difference);
    CHECK(compare_runs(seven, plan, seven, plan, 1e-5).bit_equal);
}

TEST_CASE("a scalar that the rest of its buffer hides is named") {
    const auto hidden = compare({1e6, 1}, {1e6, -3});
    CHECK_FALSE(hidden.difference);
    REQUIRE(hidden.hidden_difference);
    CHECK(hidden.hidden_difference->element == 1);
    CHECK_FALSE(compare({1e6, 1}, {1e6, 1.001}).hidden_difference);
}

TEST_CASE("what rounding cannot explain is shown first, and counts as an error") {
    const Comparison gross = compare({1, 2, 3}, {1.0001, 2.5, 3});
    REQUIRE(gross.difference);
    CHECK(gross.difference->element == 1);
    CHECK(gross.largest_error == doctest::Approx(0.2));
    const Comparison broken = compare({1, 2, 3}, {1.0001, not_a_number, 3});
    REQUIRE(broken.difference);
    CHECK(broken.difference->element == 1);
    CHECK(broken.largest_error == infinity);
    CHECK(compare({infinity, 2}, {1, 2}).largest_error == 0); // the original's own
}
