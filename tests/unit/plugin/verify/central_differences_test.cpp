// Gradients against central differences of the primal entry point, by Verifier::run_entry.

#include "cpu_kernels.h"

#include <cmath>
#include <random>

using namespace slimgrad;

namespace {

constexpr std::size_t inputs = 8, weights = 433;

/// The largest error of gGrad over the points, relative to the largest gradient of its point.
double largest_error(const CpuVariant& variant) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    const double step = 1e-2;
    double largest = 0;
    for (int point = 0; point < 4; ++point) {
        EntryInputs at{{"gIn", std::vector<double>(inputs)}, {"gW", std::vector<double>(weights)}};
        for (auto& [name, values] : at)
            for (double& value : values)
                value = 0.5 * normal(random);
        std::vector<EntryInputs> moved;
        for (std::size_t i = 0; i < inputs; ++i)
            for (const double sign : {1.0, -1.0}) {
                moved.push_back(at);
                moved.back()["gIn"][i] += sign * step;
            }
        const auto gradient = shared_verifier().run_entry(variant, "gradMain", {at}, {});
        const auto primal = shared_verifier().run_entry(variant, "primalMain", moved, {});
        REQUIRE_MESSAGE(gradient, gradient.error().message);
        REQUIRE_MESSAGE(primal, primal.error().message);
        double scale = 0, error = 0;
        for (std::size_t i = 0; i < inputs; ++i) {
            const double difference =
                ((*primal)[2 * i].at("gOut")[0] - (*primal)[2 * i + 1].at("gOut")[0]) / (2 * step);
            scale = std::max(scale, std::fabs(difference));
            error = std::max(error, std::fabs(difference - gradient->front().at("gGrad")[i]));
        }
        REQUIRE(scale > 0);
        largest = std::max(largest, error / scale);
    }
    return largest;
}

} // namespace

TEST_CASE("the network's gradients are wrong as written, and right with the inner loop unrolled") {
    const std::string source = corpus_kernel("mlp.slang");
    const std::string unrolled = edited(source, "[MaxIters(NI)]", "[ForceUnroll]");
    const CpuVariant right = cpu_variant(unrolled);
    const VerifyResult result = compared(source, unrolled);
    CHECK(result.verdict == Verdict::original_wrong);
    CHECK(result.rewritten_clean);
    CHECK(largest_error(right) < 5e-3);
    // What `slimgrad fix` makes of it: see tests/golden/corpus/mlp.test.
    const std::string fixed =
        edited(edited(source, "[MaxIters(NO)]", "[ForceUnroll]"), "[BackwardDerivative(",
               "[PreferRecompute(SideEffectBehavior.Allow)]\n[BackwardDerivative(");
    CHECK(largest_error(cpu_variant(fixed)) < 5e-3);
    const Result<VerifyResult> alone = shared_verifier().compare(right, right, "gradMain", {});
    REQUIRE(alone);
    CHECK(alone->verdict == Verdict::equal);
    // The original writes outside its arrays: what comes of that is not defined, but right it is
    // not.
    const Result<VerifyResult> wrong =
        shared_verifier().compare(right, cpu_variant(source), "gradMain", {});
    REQUIRE(wrong);
    CHECK(wrong->verdict == Verdict::rewritten_wrong);
    CHECK(largest_error(cpu_variant(source)) > 5e-2);
}
