#include "attributes/range_arithmetic.h"

#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <random>
#include <string>

using namespace slimgrad;

namespace {

constexpr IntegerType int_type{};
constexpr IntegerType uint_type{0, UINT32_MAX};
constexpr IntegerType int64_type{INT64_MIN, INT64_MAX};
constexpr IntegerType uint8_type{0, UINT8_MAX};

/// The value that a machine holds in this type.
std::int64_t wrapped(std::int64_t value, IntegerType type) {
    if (type == int_type)
        return std::int32_t(value);
    if (type == uint_type)
        return std::uint32_t(value);
    return type == uint8_type ? std::uint8_t(value) : value;
}

/// An expression with one value that it has, and what is told of it.
struct Sample {
    std::int64_t value;
    IntegerType type;
    IntegerRange range;
};

template <class Values> auto pick(std::mt19937& random, const Values& values) {
    return values[random() % values.size()];
}

Sample leaf(std::mt19937& random) {
    const std::array<IntegerType, 5> types{int_type, int_type, uint_type, int64_type, uint8_type};
    Sample sample{0, pick(random, types), {}};
    const std::array<std::int64_t, 6> bases{0, 0, 0, INT32_MAX, INT32_MIN, UINT32_MAX};
    const auto any = [&] { return pick(random, bases) + std::int64_t(random() % 41) - 20; };
    sample.value = wrapped(any(), sample.type);
    if (random() % 3 == 0) {
        sample.range = range_of(IntegerValue{sample.value, sample.type});
        return sample;
    }
    sample.range = range_of(sample.type);
    if (random() % 3 != 0) {
        sample.range.lowest =
            std::max(sample.range.lowest, sample.value - std::int64_t(random() % 30));
        sample.range.highest =
            std::min(sample.range.highest, sample.value + std::int64_t(random() % 30));
        sample.range.bounded_below = sample.range.bounded_above = true;
    } else if (random() % 3 == 0) {
        sample.range = IntegerRange{}; // a name of which nothing is known
    }
    return sample;
}

IntegerType promoted(IntegerType a, IntegerType b) {
    return common_type(a, b);
}

/// Nothing where the machine stops.
std::optional<Sample> combined(std::mt19937& random, const Sample& a, const Sample& b) {
    const std::array<char, 8> operators{'+', '-', '*', '/', '%', '&', '<', '>'};
    const IntegerType type = promoted(a.type, b.type);
    const std::int64_t x = wrapped(a.value, type), y = wrapped(b.value, type);
    switch (random() % 5) {
    case 0:
        return Sample{std::min(x, y), type, smaller(a.range, b.range)};
    case 1:
        return Sample{std::max(x, y), type, larger(a.range, b.range)};
    case 2: {
        const std::array<IntegerType, 4> types{int_type, uint_type, int64_type, uint8_type};
        const IntegerType to = pick(random, types);
        return Sample{wrapped(a.value, to), to, converted(a.range, to)};
    }
    default:
        break;
    }
    const char op = pick(random, operators);
    const bool shifts = op == '<' || op == '>';
    if (((op == '/' || op == '%') && y == 0) || (shifts && (b.value < 0 || b.value > 7)))
        return std::nullopt;
    if (type == int64_type && (op == '*' || x == INT64_MIN || y == INT64_MIN))
        return std::nullopt; // more than this machine has
    const IntegerType result = shifts ? a.type : type;
    const std::uint64_t ux = std::uint64_t(x), uy = std::uint64_t(y);
    const std::int64_t value = op == '+'   ? std::int64_t(ux + uy)
                               : op == '-' ? std::int64_t(ux - uy)
                               : op == '*' ? std::int64_t(ux * uy)
                               : op == '/' ? x / y
                               : op == '%' ? x % y
                               : op == '&' ? x & y
                               : op == '<' ? std::int64_t(std::uint64_t(a.value) << b.value)
                                           : a.value >> b.value;
    return Sample{wrapped(value, result), result, operation(a.range, op, b.range)};
}

std::string parts(const std::string& expression) {
    const auto split = split_operation(expression);
    return split ? split->left + " " + split->op + " " + split->right : "-";
}

} // namespace

TEST_SUITE("attributes/range_arithmetic") {
    TEST_CASE("no value is outside of its range") {
        std::mt19937 random(5);
        int bounded = 0, exact = 0;
        for (int i = 0; i < 200000; ++i) {
            std::optional<Sample> sample = leaf(random);
            for (std::uint32_t steps = random() % 4; sample && steps > 0; --steps) {
                const Sample other = leaf(random);
                sample = random() % 2 ? combined(random, *sample, other)
                                      : combined(random, other, *sample);
            }
            if (!sample)
                continue;
            const IntegerRange& range = sample->range;
            CAPTURE(i);
            REQUIRE(range.lowest <= sample->value);
            REQUIRE(sample->value <= range.highest);
            if (range.type)
                REQUIRE(*range.type == sample->type);
            bounded += range.bounded_below && range.bounded_above;
            exact += range.is_exact();
        }
        CHECK(bounded > 60000);
        CHECK(exact > 25000);
    }

    TEST_CASE("clamp is min of max, whatever the types") {
        std::mt19937 random(6);
        for (int i = 0; i < 50000; ++i) {
            const Sample value = leaf(random), low = leaf(random), high = leaf(random);
            const IntegerType type = promoted(promoted(value.type, low.type), high.type);
            const std::int64_t real =
                std::min(std::max(wrapped(value.value, type), wrapped(low.value, type)),
                         wrapped(high.value, type));
            const IntegerRange range = clamped(value.range, low.range, high.range);
            CAPTURE(i);
            REQUIRE(range.lowest <= real);
            REQUIRE(real <= range.highest);
        }
    }

    TEST_CASE("the outermost operation") {
        CHECK(parts("a-b-c") == "a-b - c");
        CHECK(parts("a+b*c") == "a + b*c");
        CHECK(parts("a*b+c") == "a*b + c");
        CHECK(parts("n<<1+b") == "n < 1+b");
        CHECK(parts("n&3+b") == "n & 3+b");
        CHECK(parts("f(a-b)") == "-");
        CHECK(parts("-a") == "-");
        CHECK(parts("-a*b") == "-a * b");
        CHECK(parts("a*-b") == "a * -b");
        CHECK(parts("a[i+1]/2") == "a[i+1] / 2");
        CHECK(parts("a?b:c+1") == "-");
        CHECK(parts("a<b") == "-");
        CHECK(parts("a&&b") == "-");
        CHECK(parts("i+++1") == "-");
        CHECK(parts("S::N+1") == "S::N + 1");
    }
}
