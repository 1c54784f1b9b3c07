#pragma once

#include "plugin/verify/input_plan.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace slimgrad::verify {

/// A counter-based generator: what it draws depends on (seed, sample, name, element) and on nothing
/// drawn before.
class InputValues {
  public:
    explicit InputValues(std::uint64_t seed);

    /// A stream of values for one slot in one sample.
    struct Stream {
        std::uint64_t key = 0;
        std::uint32_t sample = 0;
        std::uint32_t input =
            0; ///< counts the inputs with first values, so that they do not all move together
    };
    Stream stream(std::uint32_t sample, std::string_view name, std::uint32_t input) const;

    /// The bits of one element's scalar.
    std::uint64_t draw(const Stream& stream, std::uint64_t element, const Distribution& values,
                       ScalarKind kind) const;

    /// Unit normal: where one scalar of an input moves in a sample. `index` counts the scalars of
    /// the input.
    double direction(std::uint32_t sample, std::string_view input, std::uint64_t index) const;
    /// The same for many scalars of one input.
    Stream directions(std::uint32_t sample, std::string_view input) const;
    double direction(const Stream& directions, std::uint64_t index) const;

  private:
    double normal(std::uint64_t random) const;

    std::uint64_t seed_;
    std::vector<double> quantiles_; ///< of the unit normal distribution
};

} // namespace slimgrad::verify
