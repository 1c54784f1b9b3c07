#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace slimgrad {

/// The values that an integer type holds; those of bool are 0 and 1. Of uint64_t only what fits an
/// int64_t: larger values have none here.
struct IntegerType {
    std::int64_t lowest = INT32_MIN;
    std::int64_t highest = INT32_MAX;

    bool is_unsigned() const { return lowest == 0; }
    bool is_narrow() const { return highest < INT32_MAX; }
    bool holds(std::int64_t value) const { return lowest <= value && value <= highest; }

    friend bool operator==(const IntegerType&, const IntegerType&) = default;
};

/// Of "int", "uint8_t", "bool" and the like; nothing for other types and for names of one's own.
std::optional<IntegerType> integer_type(std::string_view name);

/// The type in which an operator works on values of two types: the wider one, of two equally wide
/// ones the unsigned one.
IntegerType common_type(IntegerType a, IntegerType b);

struct IntegerValue {
    std::int64_t value = 0;
    IntegerType type;
};

/// What a name in an integer expression stands for.
struct ConstantName {
    bool defined = true;    ///< for `defined(name)`
    std::string expression; ///< evaluated in its place; "" has no value
    std::string type = {};  ///< that a variable is declared with; "", "let" and "var": its value's
    bool is_text = false;   ///< a macro: the expression's operators bind where it is used
};

/// Looks a name up, "N" or qualified "S.N" (also for `S::N`), an array's "K[2]" and "K.getCount()";
/// nothing means that the expression has no known value.
using NameLookup = std::function<std::optional<ConstantName>(std::string_view name)>;

/// Values that have none: what does not fit the type of an expression or what it is converted to,
/// anywhere on the way.
enum class Arithmetic {
    of_slang,   ///< every value in its own type: "5" an int, "5u" a uint, "5000000000" an int64_t
    in_32_bits, ///< all are signed
};

/// Value of an integer expression in C syntax: literals (decimal, hexadecimal, binary, octal, u/l
/// suffixes, true, false), names, `defined(x)`, casts by `int(..)`/`(uint8_t)`, min, max, clamp,
/// abs, and all operators without side effects. Nothing where it uses anything else, divides by
/// zero, leaves what the arithmetic is sure of or nests too deep (names that mean each other).
std::optional<IntegerValue> evaluate_typed(std::string_view expression, const NameLookup& lookup);

/// The value alone.
std::optional<std::int64_t> evaluate_integer(std::string_view expression, const NameLookup& lookup,
                                             Arithmetic arithmetic = Arithmetic::of_slang);

} // namespace slimgrad
