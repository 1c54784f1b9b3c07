#include "plugin/verify/difference_judge.h"

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace slimgrad::verify;

namespace {

/// One function of one argument in both arithmetics, its derivative, and where to look.
struct Function {
    std::string name;
    std::function<float(float)> single;
    std::function<double(double)> twice;
    std::function<double(double)> derivative;
    double low = -2, high = 2;
};

/// A function of `x` in either arithmetic; T is the type of x.
#define IN_BOTH(expression)                                                                        \
    [](auto x) {                                                                                   \
        using T = decltype(x);                                                                     \
        return static_cast<T>(expression);                                                         \
    }
/// Such a function and its derivative at x.
#define SMOOTH(expression, derivative)                                                             \
    IN_BOTH(expression), IN_BOTH(expression), [](double x) { return derivative + 0 * x; }

const std::vector<Function>& smooth_functions() {
    static const std::vector<Function> all = {
        {"square", SMOOTH(x * x, 2 * x), 0.2, 2},
        {"line", SMOOTH(T(3) * x + T(7), 3)},
        {"sin", SMOOTH(std::sin(x), std::cos(x)), -1.2, 1.2},
        {"exp", SMOOTH(std::exp(x), std::exp(x))},
        {"exp of much", SMOOTH(std::exp(T(8) * x), 8 * std::exp(8 * x)), -1, 1},
        {"sin of large arguments", SMOOTH(std::sin(T(100) * x), 100 * std::cos(100 * x)), 0.999,
         1.001},
        {"sin of larger arguments", SMOOTH(std::sin(T(1000) * x), 1000 * std::cos(1000 * x)), 0,
         0.001},
        {"log", SMOOTH(std::log(x), 1 / x), 0.3, 3},
        {"sqrt", SMOOTH(std::sqrt(x), 0.5 / std::sqrt(x)), 0.3, 3},
        {"sqrt near 0", SMOOTH(std::sqrt(x), 0.5 / std::sqrt(x)), 0.001, 0.01},
        {"reciprocal", SMOOTH(T(1) / x, -1 / (x * x)), 0.3, 3},
        {"huge", SMOOTH(T(1e20) * x * x, 2e20 * x), 0.3, 2},
        {"small", SMOOTH(T(1e-20) * x * x, 2e-20 * x), 0.3, 2},
        {"far from 0", SMOOTH(T(50) + std::sin(x), std::cos(x)), -1, 1},
        {"sigmoid", SMOOTH(T(1) / (T(1) + std::exp(-x)),
                           std::exp(-x) / ((1 + std::exp(-x)) * (1 + std::exp(-x))))},
        {"gauss", SMOOTH(std::exp(-x * x), -2 * x * std::exp(-x * x)), 0.3, 1.5},
        {"relu away from 0", SMOOTH(x > T(0) ? x * x : T(0), 2 * x), 0.3, 2},
        {"tan", SMOOTH(std::tan(x), 1 / (std::cos(x) * std::cos(x))), -1.2, 1.2},
        {"ninth power", SMOOTH(std::pow(x, T(9)), 9 * std::pow(x, 8)), 0.5, 1.5},
    };
    return all;
}

DirectionalValues values_at(const Function& function, double x, Precision precision) {
    const auto evaluate = [&](double h) {
        if (precision == Precision::float32)
            return static_cast<double>(
                function.single(static_cast<float>(x) + static_cast<float>(h)));
        return function.twice(x + h);
    };
    DirectionalValues values;
    values.at_zero = evaluate(0);
    for (const double h : difference_steps(precision)) {
        values.plus.push_back(evaluate(h));
        values.minus.push_back(evaluate(-h));
    }
    return values;
}

DifferenceVerdict judge(const Function& function, double x, double gradient, Precision precision) {
    return judge_differences(values_at(function, x, precision), gradient, precision).verdict;
}

std::vector<double> places(const Function& function, int number) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> draw(function.low, function.high);
    std::vector<double> result;
    for (int i = 0; i < number; ++i)
        result.push_back(static_cast<double>(static_cast<float>(draw(random))));
    return result;
}

std::string name(Precision precision) {
    return precision == Precision::float32 ? " in float" : " in double";
}

constexpr Precision both[] = {Precision::float32, Precision::float64};

} // namespace

TEST_CASE("differences: right gradients of smooth functions agree") {
    for (const Precision precision : both) {
        for (const Function& function : smooth_functions()) {
            int agreeing = 0;
            for (const double x : places(function, 200)) {
                const double gradient = function.derivative(x);
                const DifferenceVerdict verdict = judge(function, x, gradient, precision);
                INFO(function.name << " at " << x << name(precision));
                CHECK(verdict != DifferenceVerdict::mismatch);
                agreeing += verdict == DifferenceVerdict::agrees;
            }
            INFO(function.name << name(precision));
            CHECK(agreeing >= 190);
        }
    }
}

TEST_CASE("differences: gradients off by 3 % (float) or 0.1 % (double) are seen") {
    for (const Precision precision : both) {
        for (const Function& function : smooth_functions()) {
            for (const double factor : {1.03, 0.97, 1.001, 0.999, 2.0, 0.0, -1.0, 1e6}) {
                if (precision == Precision::float32 && std::abs(factor - 1) < 0.02)
                    continue;
                int mismatching = 0;
                for (const double x : places(function, 100)) {
                    const DifferenceVerdict verdict =
                        judge(function, x, factor * function.derivative(x), precision);
                    CHECK(verdict != DifferenceVerdict::agrees);
                    mismatching += verdict == DifferenceVerdict::mismatch;
                }
                INFO(function.name << " times " << factor << name(precision));
                CHECK(mismatching >= 80);
            }
        }
    }
}

TEST_CASE("differences: kinks, jumps and noise are never a mismatch, whatever derivative was "
          "chosen there") {
    struct Case {
        Function function;
        double x;
        std::vector<double> gradients;
    };
    const double inf = std::numeric_limits<double>::infinity();
    const auto rough = [](std::string name, auto function, double x,
                          std::vector<double> gradients) {
        return Case{{name, function, function, nullptr}, x, std::move(gradients)};
    };
    const std::vector<Case> cases = {
        rough("abs at 0", IN_BOTH(std::abs(x)), 0, {-1, 0, 1}),
        rough("relu at 0", IN_BOTH(x > T(0) ? x : T(0)), 0, {0, 0.5, 1}),
        rough("relu near 0", IN_BOTH(x > T(0) ? x : T(0)), 1e-10, {0, 1}),
        rough("relu a little further", IN_BOTH(x > T(0) ? x : T(0)), -1e-4, {0, 0.5}),
        rough("abs on a slope", IN_BOTH(T(5) * x + std::abs(x)), 0, {4, 5, 6}),
        rough("floor at a jump", IN_BOTH(std::floor(x)), 1, {0, 1}),
        rough("floor before a jump", IN_BOTH(std::floor(x)), 0.9999999, {0, 1}),
        rough("fraction at a jump", IN_BOTH(x - std::floor(x)), 2, {0, 1}),
        rough("step", IN_BOTH(x > T(0) ? T(1) : T(0)), 0, {0, 1, 1e6}),
        rough("clamp at both ends", IN_BOTH(std::min(std::max(x, T(-1e-4)), T(1e-4))), 0, {1}),
        rough("sign", IN_BOTH(x > T(0) ? T(1) : (x < T(0) ? T(-1) : T(0))), 0, {0, 1e9}),
        rough("steep tanh", IN_BOTH(std::tanh(T(1e9) * x)), 0, {1e9, 0}),
        rough("sqrt at 0", IN_BOTH(std::sqrt(x)), 0, {0, inf}),
        rough("sqrt of abs", IN_BOTH(std::sqrt(std::abs(x))), 0, {0, 1, inf}),
        rough("length", IN_BOTH(std::sqrt(x * x + T(1e-20))), 1e-10, {0.7071, 0, 1}),
        rough("x log x", IN_BOTH(x * std::log(std::abs(x) + T(1e-30))), 0, {-69, 0}),
        rough("cube root", IN_BOTH(std::cbrt(x)), 0, {0, 1e10}),
        rough("log outside", IN_BOTH(std::log(x)), -1, {-1}),
        rough("hash",
              IN_BOTH(std::sin(x * T(12.9898)) * T(43758.5453) -
                      std::floor(std::sin(x * T(12.9898)) * T(43758.5453))),
              0.7, {0, 1, 43758 * 12.9898}),
        rough("oscillation below the steps", IN_BOTH(x + T(1e-4) * std::sin(T(1e5) * x)), 0.37,
              {1 + 10 * std::cos(37000.0)}),
        rough("cancellation of 1e3", IN_BOTH(T(1000) * x - T(999) * x), 0.3, {1}),
        rough("cancellation of 1e5", IN_BOTH((x + T(1e5)) - T(1e5)), 0.3, {1}),
        rough("cancellation of 1e6", IN_BOTH((x + T(1e6)) - T(1e6)), 0.3, {1}),
        rough("a small slope on a large value", IN_BOTH(T(1e6) + T(1e-3) * x), 0.3, {1e-3}),
        rough("saturated", IN_BOTH(std::tanh(x)), 12, {4 * std::exp(-24)}),
        rough("1 - cos over square", IN_BOTH((T(1) - std::cos(x)) / (x * x)), 1e-3,
              {-1e-3 / 12, 60}),
        rough("denormal", IN_BOTH(T(1e-30) * x * T(1e-12)), 0.3, {1e-42}),
    };
    for (const Precision precision : both) {
        for (const Case& one : cases) {
            for (const double gradient : one.gradients) {
                // In double this one is no noise, and 60 is wrong.
                if (precision == Precision::float64 && gradient == 60)
                    continue;
                INFO(one.function.name << " gradient " << gradient << name(precision));
                CHECK(judge(one.function, one.x, gradient, precision) !=
                      DifferenceVerdict::mismatch);
            }
        }
    }
    CHECK(judge(cases[0].function, 0, 1, Precision::float32) == DifferenceVerdict::kink);
    CHECK(judge(cases[1].function, 0, 0.5, Precision::float64) == DifferenceVerdict::kink);
    CHECK(judge(cases[5].function, 1, 0, Precision::float64) == DifferenceVerdict::kink);
    CHECK(judge(cases[19].function, 0.37, 1 + 10 * std::cos(37000.0), Precision::float64) ==
          DifferenceVerdict::agrees);
}

TEST_CASE("differences: constants, and gradients that are not finite") {
    const Function constant{"constant", SMOOTH(x * T(0) + T(4), 0)};
    const Function relu{"root of relu", SMOOTH(std::sqrt(x > T(0) ? x : T(0)), 0)};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const Precision precision : both) {
        const DifferenceJudgement judgement =
            judge_differences(values_at(constant, 1, precision), 0, precision);
        CHECK(judgement.verdict == DifferenceVerdict::agrees);
        CHECK(judgement.flat);
        CHECK(judge(constant, 1, 1, precision) == DifferenceVerdict::mismatch);
        CHECK(judge(relu, -1, 0, precision) == DifferenceVerdict::agrees);
        CHECK(judge(relu, -1, nan, precision) == DifferenceVerdict::mismatch);
        CHECK(judge(constant, nan, 0, precision) == DifferenceVerdict::kink);
    }
}

TEST_CASE("differences: terms that cancel round as they are, not as their sum") {
    // Two outputs of 1e4 that cancel up to a slope of 1e-4: in float32 nothing can be told.
    const auto value = [](float x) {
        const float a = 1e4f + std::sin(x), b = 1e4f + std::sin(x) * 0.9999f;
        return static_cast<double>(a) - static_cast<double>(b);
    };
    DirectionalValues values{value(0.3f), {}, {}, 2e4};
    for (const double h : difference_steps(Precision::float32)) {
        values.plus.push_back(value(0.3f + static_cast<float>(h)));
        values.minus.push_back(value(0.3f - static_cast<float>(h)));
    }
    for (const double gradient : {1e-4 * std::cos(0.3), 0.0, 1e-3})
        CHECK(judge_differences(values, gradient, Precision::float32).verdict !=
              DifferenceVerdict::mismatch);
}

TEST_CASE("differences: random sums of rough pieces hardly ever look like a wrong gradient") {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (const Precision precision : both) {
        int mismatching = 0;
        for (int trial = 0; trial < 2000; ++trial) {
            // sum of a_i * relu(x - c_i) + b_i * sin(w_i x) + jumps; knots at every distance from
            // the place.
            double a[4], c[4], b[3], w[3], jump[2], at[2];
            for (int i = 0; i < 4; ++i)
                a[i] = unit(random),
                c[i] = unit(random) * std::pow(10, -6 * std::abs(unit(random)));
            for (int i = 0; i < 3; ++i)
                b[i] = unit(random), w[i] = 5 * unit(random);
            for (int i = 0; i < 2; ++i)
                jump[i] = unit(random),
                at[i] = unit(random) * std::pow(10, -6 * std::abs(unit(random)));
            const auto evaluate = [&]<class T>(T x) {
                T sum = 0;
                for (int i = 0; i < 4; ++i)
                    sum += T(a[i]) * (x > T(c[i]) ? x - T(c[i]) : T(0));
                for (int i = 0; i < 3; ++i)
                    sum += T(b[i]) * std::sin(T(w[i]) * x);
                for (int i = 0; i < 2; ++i)
                    sum += x > T(at[i]) ? T(jump[i]) : T(0);
                return sum;
            };
            double gradient = 0;
            for (int i = 0; i < 4; ++i)
                gradient += 0 > c[i] ? a[i] : 0;
            for (int i = 0; i < 3; ++i)
                gradient += b[i] * w[i];
            const Function function{"rough", evaluate, evaluate, nullptr};
            mismatching += judge(function, 0, gradient, precision) == DifferenceVerdict::mismatch;
        }
        // Two knots on both sides of 0, nearer than the steps that float32 can use, look like one
        // slope.
        INFO(name(precision));
        CHECK(mismatching <= (precision == Precision::float32 ? 2 : 0));
    }
}

namespace {

/// A value with its derivative along a direction.
template <class T> struct Dual {
    T value = 0, slope = 0;
};

/// One step of a random program: register `to` becomes an operation on registers `a` and `b`.
struct Operation {
    std::uint32_t kind, a, b, to;
    double constant;
};

template <class T>
Dual<T> evaluate(const Operation& operation, const Dual<T>& x, const Dual<T>& y) {
    const T c = static_cast<T>(operation.constant);
    switch (operation.kind) {
    case 0:
        return {x.value + y.value, x.slope + y.slope};
    case 1:
        return {x.value * y.value, x.slope * y.value + x.value * y.slope};
    case 2: {
        const T q = y.value * y.value + std::abs(c) + T(0.01);
        return {x.value / q, (x.slope * q - x.value * 2 * y.value * y.slope) / (q * q)};
    }
    case 3:
        return {std::sin(c * x.value), c * std::cos(c * x.value) * x.slope};
    case 4:
        return {std::exp(-x.value * x.value),
                -2 * x.value * x.slope * std::exp(-x.value * x.value)};
    case 5: {
        const T root = std::sqrt(std::abs(x.value) + T(1e-3));
        return {root, (x.value >= 0 ? x.slope : -x.slope) / (2 * root)};
    }
    case 6:
        return x.value > 0 ? x : Dual<T>{};
    case 7:
        return {std::floor(x.value), 0};
    case 8:
        return x.value < y.value ? x : y;
    case 9:
        return {std::tanh(x.value), (1 - std::tanh(x.value) * std::tanh(x.value)) * x.slope};
    case 10:
        return x.value > c ? y : x;
    default:
        return {x.value + c, x.slope};
    }
}

struct Program {
    std::vector<Operation> operations;
    std::uint32_t trips = 1;
};

/// <u, f(x + h v)> of the last three registers; `slope` is its derivative in h.
template <class T>
double run(const Program& program, const std::vector<double>& numbers, double h, double& slope,
           double& magnitude) {
    Dual<T> registers[10];
    for (std::size_t i = 0; i < 6; ++i)
        registers[i] = {static_cast<T>(numbers[i]) +
                            static_cast<T>(h) * static_cast<T>(numbers[6 + i]),
                        static_cast<T>(numbers[6 + i])};
    for (std::uint32_t trip = 0; trip < program.trips; ++trip)
        for (const Operation& one : program.operations)
            registers[one.to] = evaluate<T>(one, registers[one.a], registers[one.b]);
    double sum = 0;
    slope = magnitude = 0;
    for (std::size_t i = 7; i < 10; ++i) {
        sum += numbers[5 + i] * static_cast<double>(registers[i].value);
        slope += numbers[5 + i] * static_cast<double>(registers[i].slope);
        magnitude += std::abs(numbers[5 + i] * static_cast<double>(registers[i].value));
    }
    return sum;
}

/// Judges the program's own derivative times `factor` on 32 inputs.
template <class T> DifferenceSummary judge_program(const Program& program, double factor) {
    const Precision precision = std::is_same_v<T, float> ? Precision::float32 : Precision::float64;
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    std::vector<DifferenceJudgement> samples;
    for (int sample = 0; sample < 32; ++sample) {
        std::vector<double> numbers(15);
        for (double& number : numbers)
            number = normal(random);
        DirectionalValues values;
        double slope = 0, other = 0, unused = 0;
        values.at_zero = run<T>(program, numbers, 0, slope, values.magnitude);
        for (const double h : difference_steps(precision)) {
            values.plus.push_back(run<T>(program, numbers, h, other, unused));
            values.minus.push_back(run<T>(program, numbers, -h, other, unused));
        }
        samples.push_back(judge_differences(values, factor * slope, precision));
    }
    return summarize_differences(samples);
}

Program random_program(std::mt19937& random) {
    std::normal_distribution<double> normal;
    Program program;
    program.trips = 1 + random() % 4;
    const std::uint32_t length = 6 + random() % 12;
    for (std::uint32_t i = 0; i < length; ++i) {
        const std::uint32_t to = i + 3 >= length ? 10 + i - length : random() % 10;
        program.operations.push_back({std::uint32_t(random() % 12), std::uint32_t(random() % 10),
                                      std::uint32_t(random() % 10), to, 3 * normal(random)});
    }
    return program;
}

} // namespace

TEST_CASE("differences: random programs with kinks and jumps") {
    using Outcome = DifferenceSummary::Outcome;
    std::mt19937 random(1);
    int right[2] = {}, wrong[2] = {};
    for (int trial = 0; trial < 300; ++trial) {
        const Program program = random_program(random);
        INFO("trial " << trial);
        const DifferenceSummary single = judge_program<float>(program, 1),
                                twice = judge_program<double>(program, 1);
        CHECK(single.outcome != Outcome::wrong);
        CHECK(twice.outcome != Outcome::wrong);
        right[0] += single.outcome == Outcome::right;
        right[1] += twice.outcome == Outcome::right;
        const DifferenceSummary single_off = judge_program<float>(program, 1.05),
                                twice_off = judge_program<double>(program, 1.002);
        CHECK(single_off.outcome != Outcome::right);
        CHECK(twice_off.outcome != Outcome::right);
        wrong[0] += single_off.outcome == Outcome::wrong;
        wrong[1] += twice_off.outcome == Outcome::wrong;
    }
    for (const int precision : {0, 1}) {
        CHECK(right[precision] >= 240);
        CHECK(wrong[precision] >= 240);
    }
}

TEST_CASE("differences: several samples together") {
    const auto samples = [](int agreeing, int mismatching, int kinks, int coarse) {
        std::vector<DifferenceJudgement> result;
        const auto add = [&](int number, DifferenceVerdict verdict, double gradient,
                             double difference) {
            for (int i = 0; i < number; ++i)
                result.push_back({verdict, gradient * (i + 1), difference * (i + 1), 0, false});
        };
        add(kinks, DifferenceVerdict::kink, 1, 0.5);
        add(agreeing, DifferenceVerdict::agrees, 1, 1);
        add(mismatching, DifferenceVerdict::mismatch, 2, 1);
        add(coarse, DifferenceVerdict::too_coarse, 1, 1);
        return summarize_differences(result);
    };
    using Outcome = DifferenceSummary::Outcome;
    CHECK(samples(32, 0, 0, 0).outcome == Outcome::right);
    CHECK(samples(19, 0, 13, 0).outcome == Outcome::right);
    CHECK(samples(19, 0, 13, 0).reason == "19 of 32 inputs agree, 13 at kinks");
    CHECK(samples(2, 0, 30, 0).outcome == Outcome::cannot_tell);
    CHECK(samples(2, 0, 30, 0).reason == "30 of 32 inputs lie at kinks");
    CHECK(samples(0, 0, 0, 32).reason == "roundoff hides the differences of 32 of 32 inputs");
    CHECK(samples(31, 1, 0, 0).outcome == Outcome::cannot_tell);
    CHECK(samples(30, 2, 0, 0).outcome == Outcome::cannot_tell);
    CHECK(samples(28, 4, 0, 0).outcome == Outcome::wrong);
    CHECK(samples(0, 3, 29, 0).outcome == Outcome::wrong);
    CHECK(samples(0, 2, 30, 0).outcome == Outcome::cannot_tell);
    CHECK(samples(15, 0, 9, 8).outcome == Outcome::cannot_tell);
    CHECK(samples(20, 0, 4, 8).reason == "20 of 32 inputs agree, 4 at kinks, 8 lost in roundoff");
    CHECK(samples(0, 1, 31, 0).outcome == Outcome::cannot_tell);
    const DifferenceSummary wrong = samples(1, 31, 0, 0);
    CHECK(wrong.outcome == Outcome::wrong);
    CHECK(wrong.reason == "31 of 32 inputs mismatch");
    CHECK(wrong.sample == 1);
    REQUIRE(wrong.factor);
    CHECK(*wrong.factor == doctest::Approx(2));
    CHECK(summarize_differences({}).outcome == Outcome::cannot_tell);
    // In 32 bits more of them have to.
    std::vector<DifferenceJudgement> single(
        28, {DifferenceVerdict::agrees, 1, 1, 0, false, Precision::float32});
    single.resize(32, {DifferenceVerdict::mismatch, 2, 1, 0, false, Precision::float32});
    CHECK(summarize_differences(single).outcome == Outcome::cannot_tell);
    single.resize(40, single.back());
    CHECK(summarize_differences(single).outcome == Outcome::wrong);
    const std::vector<DifferenceJudgement> flat(32, {DifferenceVerdict::agrees, 0, 0, 0, true});
    CHECK(summarize_differences(flat).outcome == Outcome::cannot_tell);
}

TEST_CASE(
    "differences: a gradient of 0 beside a large constant does not pass on what roundoff hides") {
    // In double 1e12 leaves the larger steps their slope, in float 3e4 does so for a few.
    const Function far{"far", IN_BOTH(T(1e12) + std::sin(x)), IN_BOTH(T(1e12) + std::sin(x)),
                       nullptr};
    CHECK(judge(far, 0.3, 0, Precision::float64) == DifferenceVerdict::mismatch);
    const Function near{"near", IN_BOTH(T(3e4) + std::sin(x)), IN_BOTH(T(3e4) + std::sin(x)),
                        nullptr};
    const DirectionalValues values = values_at(near, 0.3, Precision::float32);
    const DifferenceJudgement hidden = judge_differences(values, 0, Precision::float32);
    CHECK(hidden.verdict == DifferenceVerdict::too_coarse);
    CHECK(hidden.lost_slope);
    // What moves in steps of its own has a slope of 0, also where a large one is near.
    for (const auto& function : {Function{"steps", IN_BOTH(std::floor(x * T(64)) / T(64)),
                                          IN_BOTH(std::floor(x * T(64)) / T(64)), nullptr},
                                 Function{"relu", IN_BOTH(x > T(0.4) ? T(1e6) * x : T(7)),
                                          IN_BOTH(x > T(0.4) ? T(1e6) * x : T(7)), nullptr}})
        for (const Precision precision : both) {
            INFO(function.name << name(precision));
            CHECK(judge(function, 0.305, 0, precision) == DifferenceVerdict::agrees);
        }
}

TEST_CASE("differences: hidden slopes leave a summary open") {
    std::vector<DifferenceJudgement> samples(32);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i].verdict = i < 28 ? DifferenceVerdict::agrees : DifferenceVerdict::too_coarse;
        samples[i].gradient = i < 28 ? 1 : 0;
    }
    CHECK(summarize_differences(samples).outcome == DifferenceSummary::Outcome::right);
    for (std::size_t i = 28; i < samples.size(); ++i)
        samples[i].lost_slope = true;
    const DifferenceSummary summary = summarize_differences(samples);
    CHECK(summary.outcome == DifferenceSummary::Outcome::cannot_tell);
    CHECK(summary.reason == "the gradient is 0 where larger steps move the result: 4 of 32 inputs");
}
