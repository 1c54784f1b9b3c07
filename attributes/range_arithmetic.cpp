#include "attributes/range_arithmetic.h"

#include "attributes/expression_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace slimgrad {

namespace {

bool may_be_unsigned(const IntegerRange& range) {
    return !range.type || range.type->is_unsigned();
}

bool may_be_negative(const IntegerRange& range) {
    return range.lowest < 0 && !(range.type && range.type->is_unsigned());
}

/// Whether one may be negative and become a huge number because of the other's type.
bool may_mix(const IntegerRange& a, const IntegerRange& b) {
    return (may_be_negative(a) && may_be_unsigned(b)) || (may_be_negative(b) && may_be_unsigned(a));
}

std::optional<IntegerType> type_of(const IntegerRange& a, const IntegerRange& b) {
    return a.type && b.type ? std::optional(common_type(*a.type, *b.type)) : std::nullopt;
}

/// What rests on both.
IntegerRange with_reasons(IntegerRange range, const IntegerRange& a, const IntegerRange& b) {
    range.promised = a.promised || b.promised;
    range.from_callers = a.from_callers || b.from_callers;
    range.follows_loop = a.follows_loop || b.follows_loop;
    return range;
}

IntegerRange unknown(std::optional<IntegerType> type) {
    return type ? range_of(*type) : IntegerRange{};
}

void take_reasons(IntegerRange& range, const IntegerRange& of) {
    range.promised = of.promised;
    range.from_callers = of.from_callers;
    range.follows_loop = of.follows_loop;
    range.from = of.from;
}

using Ends = std::optional<std::pair<std::int64_t, std::int64_t>>;

Ends sum(const IntegerRange& a, std::int64_t b_lowest, std::int64_t b_highest) {
    std::int64_t low = 0, high = 0;
    if (__builtin_add_overflow(a.lowest, b_lowest, &low) ||
        __builtin_add_overflow(a.highest, b_highest, &high))
        return std::nullopt;
    return std::pair(low, high);
}

Ends product(const IntegerRange& a, const IntegerRange& b) {
    std::array<std::int64_t, 4> ends{};
    std::size_t i = 0;
    for (const std::int64_t x : {a.lowest, a.highest}) {
        for (const std::int64_t y : {b.lowest, b.highest}) {
            if (__builtin_mul_overflow(x, y, &ends[i++]))
                return std::nullopt;
        }
    }
    const auto [low, high] = std::minmax_element(ends.begin(), ends.end());
    return std::pair(*low, *high);
}

/// `a op constant`, of what is not negative where that matters.
Ends by_constant(const IntegerRange& a, char op, std::int64_t b) {
    if (op == '/' && b > 0)
        return std::pair(a.lowest / b, a.highest / b);
    if (op == '%' && b > 0)
        return std::pair(a.lowest >= 0 ? std::int64_t{0} : std::max(a.lowest, 1 - b),
                         std::min(std::max(a.highest, std::int64_t{0}), b - 1));
    if (op == '&' && b >= 0)
        return std::pair(std::int64_t{0}, a.lowest >= 0 ? std::min(a.highest, b) : b);
    if (op == '>' && b >= 0 && b < 32 && a.lowest >= 0)
        return std::pair(a.lowest >> b, a.highest >> b);
    if (op == '<' && b >= 0 && b < 32 && a.lowest >= 0 && a.highest <= INT32_MAX)
        return std::pair(a.lowest << b, a.highest << b);
    return std::nullopt;
}

} // namespace

IntegerRange range_of(IntegerValue value) {
    IntegerRange range;
    range.lowest = range.highest = value.value;
    range.bounded_below = range.bounded_above = true;
    range.type = value.type;
    return range;
}

IntegerRange range_of(IntegerType type) {
    IntegerRange range;
    range.lowest = type.lowest;
    range.highest = type.highest;
    range.bounded_below = type.is_unsigned();
    range.type = type;
    return range;
}

IntegerRange united(const IntegerRange& a, const IntegerRange& b) {
    IntegerRange range = a.highest >= b.highest ? a : b; // whose reason is given
    range.lowest = std::min(a.lowest, b.lowest);
    range.bounded_below = a.bounded_below && b.bounded_below;
    range.bounded_above = a.bounded_above && b.bounded_above;
    range.type = a.type == b.type ? a.type : std::nullopt;
    return with_reasons(std::move(range), a, b);
}

IntegerRange converted(const IntegerRange& range, IntegerType type) {
    const bool fits = type.holds(range.lowest) && type.holds(range.highest);
    IntegerRange result = fits ? range : range_of(type);
    result.type = type;
    result.bounded_below = result.bounded_below || type.is_unsigned();
    return result;
}

IntegerRange smaller(const IntegerRange& a, const IntegerRange& b) {
    const std::optional<IntegerType> type = type_of(a, b);
    const bool a_decides = a.bounded_above && (!b.bounded_above || a.highest <= b.highest);
    IntegerRange range = unknown(type);
    const bool mixes = may_mix(a, b);
    // As an unsigned number, a negative one is above all others.
    const IntegerRange* sure = !mixes                             ? nullptr
                               : a.lowest >= 0 && a.bounded_above ? &a
                               : b.lowest >= 0 && b.bounded_above ? &b
                                                                  : nullptr;
    if (mixes && !sure)
        return range;
    take_reasons(range, sure ? *sure : a_decides ? a : b);
    range.highest = sure ? sure->highest : std::min(a.highest, b.highest);
    range.bounded_above = sure || a.bounded_above || b.bounded_above;
    if (mixes) {
        range.lowest = type && type->is_unsigned() ? 0 : std::min(a.lowest, b.lowest);
        range.bounded_below = type && type->is_unsigned();
        return range;
    }
    range.lowest = std::min(a.lowest, b.lowest);
    range.bounded_below = a.bounded_below && b.bounded_below;
    range.follows_loop = a.follows_loop || b.follows_loop;
    range.from_callers =
        range.from_callers || (range.is_exact() && (a.from_callers || b.from_callers));
    return range;
}

IntegerRange larger(const IntegerRange& a, const IntegerRange& b) {
    if (may_mix(a, b))
        return unknown(type_of(a, b));
    IntegerRange range = a.highest >= b.highest ? a : b;
    range.type = type_of(a, b);
    range.lowest = std::max(a.lowest, b.lowest);
    range.bounded_below = a.bounded_below || b.bounded_below;
    range.bounded_above = a.bounded_above && b.bounded_above;
    return with_reasons(std::move(range), a, b);
}

IntegerRange clamped(const IntegerRange& value, const IntegerRange& low, const IntegerRange& high) {
    std::optional<IntegerType> type = type_of(value, low);
    type = type && high.type ? std::optional(common_type(*type, *high.type)) : std::nullopt;
    // It is min(max(value, low), high), whatever the type: below `low` where `high` is.
    IntegerRange range = unknown(type);
    const bool mixes = may_mix(value, high) || may_mix(low, high) || may_mix(value, low);
    if (high.lowest < 0 && mixes)
        return range;
    if (!mixes && value.bounded_above && low.bounded_above &&
        std::max(value.highest, low.highest) < high.highest)
        return smaller(larger(value, low), high);
    take_reasons(range, high);
    range.highest = high.highest;
    range.bounded_above = high.bounded_above;
    range.lowest = std::min(low.lowest, high.lowest);
    range.bounded_below = low.bounded_below && high.bounded_below;
    if (!mixes && value.bounded_below && value.lowest > range.lowest)
        return smaller(larger(value, low), high);
    return range;
}

IntegerRange operation(const IntegerRange& a, char op, const IntegerRange& b) {
    const bool shifts = op == '<' || op == '>';
    const std::optional<IntegerType> type = shifts ? a.type : type_of(a, b);
    Ends ends;
    if (op == '+')
        ends = sum(a, b.lowest, b.highest);
    else if (op == '-' && b.lowest != INT64_MIN && b.highest != INT64_MAX)
        ends = sum(a, -b.highest, -b.lowest);
    else if (op == '*')
        ends = product(a, b);
    else if (b.is_exact())
        ends = by_constant(a, op, b.lowest);
    // What the type may be at the narrowest: that of an operand whose type is not known is an int.
    IntegerType narrowest = type ? *type : IntegerType{0, INT32_MAX};
    for (const auto& operand : {a.type, b.type}) {
        if (!type && operand && operand->highest < narrowest.highest)
            narrowest.highest = operand->highest;
    }
    const bool keeps = op == '&' || op == '/' || op == '%' || op == '>';
    // A quotient or rest of what may be a fraction is one.
    const bool divides = op == '/' || op == '%';
    if (!ends || (divides && !type) || (!shifts && op != '&' && may_mix(a, b)) ||
        (!keeps && !(narrowest.holds(ends->first) && narrowest.holds(ends->second))))
        return unknown(type);
    IntegerRange range;
    range.lowest = ends->first;
    range.highest = ends->second;
    const bool both = a.bounded_below && a.bounded_above && b.bounded_below && b.bounded_above;
    range.bounded_below = op == '+' ? a.bounded_below && b.bounded_below
                          : op == '-'
                              ? a.bounded_below && b.bounded_above
                              : both || op == '&' || op == '%' || (keeps && a.bounded_below);
    range.bounded_above = op == '+' ? a.bounded_above && b.bounded_above
                          : op == '-'
                              ? a.bounded_above && b.bounded_below
                              : both || op == '&' || op == '%' || (keeps && a.bounded_above);
    range.type = type;
    return with_reasons(std::move(range), a, b);
}

std::optional<SplitOperation> split_operation(const std::string& expression) {
    struct Operator {
        std::size_t at = 0, length = 1;
        int binds = 99;
    } outermost;
    int depth = 0;
    for (std::size_t i = 0; i < expression.size(); ++i) {
        const char c = expression[i];
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        if (depth != 0 || c == ')' || c == ']' || is_name(c) || c == '.')
            continue;
        const std::string_view two = std::string_view(expression).substr(i, 2);
        if (two == "::") {
            ++i;
            continue;
        }
        const bool after_operand = i > 0 && (is_name(expression[i - 1]) ||
                                             expression[i - 1] == ')' || expression[i - 1] == ']');
        if (!after_operand && (c == '-' || c == '+' || c == '~' || c == '!'))
            continue; // of one operand
        const bool shift = two == "<<" || two == ">>";
        const int binds = c == '*' || c == '/' || c == '%'                       ? 4
                          : (c == '+' || c == '-') && two != "++" && two != "--" ? 3
                          : shift                                                ? 2
                          : c == '&' && two != "&&"                              ? 1
                                                                                 : 0;
        if (binds == 0)
            return std::nullopt;
        // Of those that bind alike the last one is outermost.
        if (binds <= outermost.binds)
            outermost = {i, shift ? std::size_t{2} : std::size_t{1}, binds};
        i += shift;
    }
    if (outermost.binds == 99 || outermost.at == 0)
        return std::nullopt;
    return SplitOperation{expression.substr(0, outermost.at), expression[outermost.at],
                          expression.substr(outermost.at + outermost.length)};
}

} // namespace slimgrad
