#pragma once

#include "rewriter/semantics.h"

#include <limits>

namespace slimgrad {

/// What an implicit conversion costs in Slang's overload resolution, as far as it is known: at
/// least `low`, at most `high`, which is `unlimited` where the conversion may not exist.
struct ConversionCost {
    static constexpr int unlimited = std::numeric_limits<int>::max();

    int low = 0;
    int high = unlimited;

    static ConversionCost exactly(int cost) { return {cost, cost}; }
    static ConversionCost impossible() { return {unlimited, unlimited}; }
    bool is_possible() const { return low != unlimited; }
    bool is_exact() const { return low == high && low != unlimited; }
    ConversionCost& operator+=(const ConversionCost& other);
};

/// An argument of a call, or what stands for one.
struct Argument {
    TypeRef type = nullptr;
    /// Of an integer literal: how many bits its value needs, without the sign; 0: it is none.
    int literal_bits = 0;
    bool is_list = false; ///< `{..}`, which has no type of its own
};

/// The cost of giving the argument for a parameter of this type.
ConversionCost conversion_cost(Semantics& semantics, const Argument& argument, TypeRef parameter);

/// The type that both operands of a built-in operator are converted to; null where it is not known.
TypeRef joined_type(TypeTable& types, const Argument& left, const Argument& right);

} // namespace slimgrad
