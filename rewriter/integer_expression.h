#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace slimgrad {

/// What a name in an integer expression stands for.
struct ConstantName {
    bool defined = true;    ///< for `defined(name)`
    std::string expression; ///< evaluated in its place; "" has no value
};

/// Looks a name up, "N" or qualified "S.N" (also for `S::N`); nothing means that the expression has
/// no known value.
using NameLookup = std::function<std::optional<ConstantName>(std::string_view name)>;

/// Values that have none: what does not fit, anywhere on the way.
enum class Arithmetic {
    in_64_bits,
    in_32_bits, ///< signed
    natural,    ///< in 64 bits without negative values: unsigned arithmetic would wrap around there
};

/// Value of an integer expression in C syntax: literals (decimal, hexadecimal, binary, octal, u/l
/// suffixes, true, false), names, `defined(x)`, casts by `int(..)`/`uint(..)`/`(int)`, min, max,
/// clamp, abs, and all operators without side effects. Nothing where it uses anything else, divides
/// by zero, leaves what the arithmetic is sure of or nests too deep (names that mean each other).
std::optional<std::int64_t> evaluate_integer(std::string_view expression, const NameLookup& lookup,
                                             Arithmetic arithmetic = Arithmetic::in_64_bits);

} // namespace slimgrad
