#include "plugin/verify/input_values.h"

#include <cmath>
#include <doctest/doctest.h>
#include <set>

using namespace slimgrad::verify;

namespace {

double draw(const InputValues& values, std::uint32_t sample, std::string_view name,
            std::uint64_t element, const Distribution& distribution,
            ScalarKind kind = ScalarKind::float64) {
    return value_of_bits(values.draw(values.stream(sample, name, 0), element, distribution, kind),
                         kind);
}

} // namespace

TEST_CASE("a value depends on seed, sample, name and element alone") {
    const InputValues first(1), again(1), other(2);
    const double value = draw(first, 3, "gIn", 5, {});
    CHECK(draw(again, 3, "gIn", 5, {}) == value);
    CHECK(draw(other, 3, "gIn", 5, {}) != value);
    CHECK(draw(first, 4, "gIn", 5, {}) != value);
    CHECK(draw(first, 3, "gW", 5, {}) != value);
    CHECK(draw(first, 3, "gIn", 6, {}) != value);
}

TEST_CASE("unit normal") {
    const InputValues values(1);
    const int count = 100'000;
    double sum = 0, squares = 0, beyond_two = 0;
    for (int i = 0; i < count; ++i) {
        const double x = draw(values, 0, "x", static_cast<std::uint64_t>(i), {});
        sum += x;
        squares += x * x;
        beyond_two += std::fabs(x) > 2;
    }
    CHECK(std::fabs(sum / count) < 0.02);
    CHECK(squares / count == doctest::Approx(1).epsilon(0.02));
    CHECK(beyond_two / count == doctest::Approx(0.0455).epsilon(0.1));
}

TEST_CASE("ranges: ends included for integers, first values paired between inputs") {
    const InputValues values(1);
    std::set<double> seen;
    for (std::uint64_t i = 0; i < 1000; ++i)
        seen.insert(draw(values, 0, "n", i, {-1, 3, {}}, ScalarKind::int32));
    CHECK(seen == std::set<double>{-1, 0, 1, 2, 3});
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const double x = draw(values, 0, "x", i, {2, 3, {}});
        CHECK((x >= 2 && x <= 3));
    }
    CHECK(draw(values, 9, "x", 9, {0.7, 0.7, {}}) == 0.7);

    const Distribution steps{0, 12, {0, 1, 11, 12}};
    std::set<std::pair<double, double>> pairs;
    for (std::uint32_t sample = 0; sample < 16; ++sample)
        pairs.emplace(
            value_of_bits(values.draw(values.stream(sample, "a", 0), 0, steps, ScalarKind::int32),
                          ScalarKind::int32),
            value_of_bits(values.draw(values.stream(sample, "b", 1), 0, steps, ScalarKind::int32),
                          ScalarKind::int32));
    CHECK(pairs.size() == 16);
    CHECK(draw(values, 0, "a", 0, steps) == 0);
    CHECK(draw(values, 3, "a", 0, steps) == 12);
}
