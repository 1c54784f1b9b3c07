#include "plugin/verify/input_values.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace slimgrad::verify {
namespace {

constexpr int table_bits = 12;
constexpr std::uint64_t golden = 0x9e3779b97f4a7c15; ///< splitmix64's step: 2^64 / golden ratio

/// The finalizer of splitmix64: every bit of the argument reaches every bit of the result.
std::uint64_t mix(std::uint64_t x) {
    x += golden;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

double unit(std::uint64_t random) {
    return static_cast<double>(random >> 11) * 0x1p-53;
}

/// Solves erfc(-x / sqrt 2) / 2 = p for p <= 1/2 by Newton's method from a smaller x. The left side
/// is convex there: after the first step every other comes nearer, from above.
double normal_quantile(double p, double x) {
    const double peak = 1 / std::sqrt(8 * std::atan(1.0));
    for (int i = 0; i < 16; ++i) {
        const double error = std::erfc(-x / std::sqrt(2.0)) / 2 - p;
        const double step = error / (peak * std::exp(-x * x / 2));
        x -= step;
        if (std::abs(step) < 1e-15)
            break;
    }
    return x;
}

} // namespace

InputValues::InputValues(std::uint64_t seed) : seed_(seed) {
    constexpr int size = 1 << table_bits;
    quantiles_.resize(size + 1);
    double x = -4;
    for (int i = 0; i <= size / 2; ++i) {
        x = normal_quantile((i + 0.25) / (size + 0.5), x);
        quantiles_[static_cast<std::size_t>(i)] = x;
        quantiles_[static_cast<std::size_t>(size - i)] = -x;
    }
}

InputValues::Stream InputValues::stream(std::uint32_t sample, std::string_view name,
                                        std::uint32_t input) const {
    std::uint64_t key = mix(seed_ ^ mix(sample));
    for (const char c : name)
        key = mix(key ^ static_cast<unsigned char>(c));
    return {key, sample, input};
}

double InputValues::normal(std::uint64_t random) const {
    const std::size_t entry = random >> (64 - table_bits);
    const double between = unit(random << table_bits);
    return quantiles_[entry] + (quantiles_[entry + 1] - quantiles_[entry]) * between;
}

double InputValues::direction(std::uint32_t sample, std::string_view input,
                              std::uint64_t index) const {
    return direction(directions(sample, input), index);
}

InputValues::Stream InputValues::directions(std::uint32_t sample, std::string_view input) const {
    return stream(sample, "direction of " + std::string(input), 0);
}

double InputValues::direction(const Stream& directions, std::uint64_t index) const {
    return normal(mix(directions.key + index * golden));
}

std::uint64_t InputValues::draw(const Stream& stream, std::uint64_t element,
                                const Distribution& values, ScalarKind kind) const {
    // Up to 16 samples pair the first values of one input with those of the next in all ways; the
    // others are random.
    const std::size_t size = values.first.size();
    if (stream.sample < std::max(size, std::min<std::size_t>(size * size, 16)))
        return bits_of_value(
            values.first[(stream.sample + stream.input * (stream.sample / size)) % size], kind);
    const std::uint64_t random = mix(stream.key + element * golden);
    if (values.normal())
        return bits_of_value(normal(random), kind);
    if (is_floating(kind))
        return bits_of_value(values.minimum + (values.maximum - values.minimum) * unit(random),
                             kind);
    const double count = std::floor(values.maximum) - std::ceil(values.minimum) + 1;
    return bits_of_value(std::ceil(values.minimum) + std::floor(count * unit(random)), kind);
}

} // namespace slimgrad::verify
