#include "plugin/verify/replay_judge.h"

#include <doctest/doctest.h>
#include <random>

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

/// A call of scale * (x + x^2 / 2) at x whose backward pass is off by a factor.
ReplayValues call(double scale, double x, double factor = 1) {
    const auto f = [&](double at) { return scale * (at + at * at / 2); };
    ReplayValues values;
    values.ran = true;
    values.backward = values.dot_backward = factor * scale * (1 + x);
    values.differences.at_zero = f(x);
    values.differences.magnitude = std::abs(f(x));
    for (const double h : difference_steps(Precision::float64)) {
        values.differences.plus.push_back(f(x + h));
        values.differences.minus.push_back(f(x - h));
    }
    return values;
}

ReplayValues sum(const ReplayValues& a, const ReplayValues& b) {
    ReplayValues result = a;
    result.backward += b.backward;
    result.differences.at_zero += b.differences.at_zero;
    result.differences.magnitude += b.differences.magnitude;
    for (std::size_t k = 0; k < result.differences.plus.size(); ++k) {
        result.differences.plus[k] += b.differences.plus[k];
        result.differences.minus[k] += b.differences.minus[k];
    }
    return result;
}

/// Two calls per sample, the second off by a factor.
StepReport judged(double first, double second, double factor) {
    std::minstd_rand random;
    std::uniform_real_distribution<double> places(0.2, 2);
    Replay replay;
    for (int i = 0; i < 16; ++i) {
        replay.separate.push_back(
            {call(first, places(random)), call(second, places(random), factor)});
        replay.samples.push_back(sum(replay.separate.back()[0], replay.separate.back()[1]));
    }
    replay.calls = 32;
    replay.most_made = 2;
    DifferentiatedCall result;
    result.function = "f";
    judge_differences_of(result, replay, Precision::float64);
    return result.differences;
}

} // namespace

TEST_CASE("an error in a call that contributes little is seen") {
    CHECK(judged(1000, 1e-3, 1).state == StepState::passed);
    const StepReport small = judged(1000, 1e-3, 1.1);
    CHECK(small.state == StepState::failed);
    CHECK(small.detail.find("in one of the calls: 16 of 16 inputs mismatch") != std::string::npos);
    CHECK(judged(1, 1, 1).state == StepState::passed);
    CHECK(judged(1, 1, 1.1).state == StepState::failed); // in the sum
    // Right, though next to nothing; a call that moves nothing.
    CHECK(judged(1, 1e-30, 1).state == StepState::passed);
    CHECK(judged(1, 0, 1).state == StepState::passed);
}

TEST_CASE("calls evened out count one each") {
    const ReplayValues even = evened_out({call(1000, 1), call(-1e-3, 0.5)}, Precision::float64);
    REQUIRE(even.ran);
    CHECK(even.backward == doctest::Approx(2));
    const auto steps = difference_steps(Precision::float64);
    CHECK((even.differences.plus[3] - even.differences.minus[3]) / (2 * steps[3]) ==
          doctest::Approx(2));
    CHECK_FALSE(evened_out({call(1, 1), call(2, 0.5)}, Precision::float64).ran);
    CHECK_FALSE(evened_out({call(1, 1)}, Precision::float64).ran);
}
