#pragma once

#include "attributes/integer_range.h"

#include <optional>
#include <string>

/// What is known of integers after an operation, in the arithmetic of Slang: where a value may wrap
/// around, nothing but its type is known. Where the type of an operand is not known, it may be
/// unsigned.
namespace slimgrad {

IntegerRange range_of(IntegerValue value);
/// All values of the type; no end of it is bounded but an unsigned one's 0.
IntegerRange range_of(IntegerType type);

/// A value of one or the other.
IntegerRange united(const IntegerRange& a, const IntegerRange& b);
IntegerRange converted(const IntegerRange& range, IntegerType type);

/// min, max and clamp
IntegerRange smaller(const IntegerRange& a, const IntegerRange& b);
IntegerRange larger(const IntegerRange& a, const IntegerRange& b);
IntegerRange clamped(const IntegerRange& value, const IntegerRange& low, const IntegerRange& high);

/// `a op b` of + - * / % << >> &
IntegerRange operation(const IntegerRange& a, char op, const IntegerRange& b);

struct SplitOperation {
    std::string left;
    char op; ///< as `operation` takes it: '<' for "<<", '>' for ">>"
    std::string right;
};

/// The outermost binary operation of a compact expression: "a-b" and "c" of "a-b-c". Nothing where
/// it has another operator than those of `operation`, or none.
std::optional<SplitOperation> split_operation(const std::string& expression);

} // namespace slimgrad
