#include "plugin/verify/input_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace slimgrad::verify {
namespace {

float float_of_half(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    const float sign = bits >> 15 ? -1.0f : 1.0f;
    if (exponent == 31)
        return fraction ? std::numeric_limits<float>::quiet_NaN()
                        : sign * std::numeric_limits<float>::infinity();
    return exponent == 0 ? sign * std::ldexp(static_cast<float>(fraction), -24)
                         : sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}

std::uint16_t half_of_double(double value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double magnitude = std::fabs(value);
    if (std::isnan(value))
        return 0x7e00;
    if (magnitude >= 65520)
        return static_cast<std::uint16_t>(sign | 0x7c00);
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    exponent = std::max(exponent - 1, -14);
    // Rounds to even; a carry into the exponent is the right next number.
    const auto scaled =
        static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    const std::uint32_t bits =
        scaled >= 1024 ? (static_cast<std::uint32_t>(exponent + 15) << 10) + (scaled - 1024)
                       : scaled;
    return static_cast<std::uint16_t>(sign | bits);
}

template <class T> double signed_value(std::uint64_t bits) {
    return static_cast<double>(static_cast<T>(bits));
}

template <class T> std::uint64_t integer_bits(double value) {
    const double low = static_cast<double>(std::numeric_limits<T>::min());
    const double high = static_cast<double>(std::numeric_limits<T>::max());
    if (std::isnan(value))
        return 0;
    if (value >= high)
        return static_cast<std::make_unsigned_t<T>>(std::numeric_limits<T>::max());
    return static_cast<std::make_unsigned_t<T>>(
        static_cast<T>(std::nearbyint(std::max(value, low))));
}

} // namespace

std::uint32_t size_of(ScalarKind kind) {
    switch (kind) {
    case ScalarKind::boolean:
    case ScalarKind::int8:
    case ScalarKind::uint8:
        return 1;
    case ScalarKind::int16:
    case ScalarKind::uint16:
    case ScalarKind::half:
        return 2;
    case ScalarKind::int32:
    case ScalarKind::uint32:
    case ScalarKind::float32:
    case ScalarKind::word:
        return 4;
    case ScalarKind::int64:
    case ScalarKind::uint64:
    case ScalarKind::float64:
        return 8;
    }
    return 0;
}

bool is_floating(ScalarKind kind) {
    return kind == ScalarKind::half || kind == ScalarKind::float32 || kind == ScalarKind::float64 ||
           kind == ScalarKind::word;
}

bool holds_float(std::uint64_t bits, ScalarKind kind) {
    if (kind != ScalarKind::word)
        return is_floating(kind);
    const auto magnitude = static_cast<std::uint32_t>(bits) & 0x7fffffff;
    return magnitude == 0 || (magnitude >= 0x00800000 && magnitude <= 0x7f800000) ||
           magnitude == 0x7fc00000;
}

double value_of_bits(std::uint64_t bits, ScalarKind kind) {
    switch (kind) {
    case ScalarKind::boolean:
        return bits != 0;
    case ScalarKind::int8:
        return signed_value<std::int8_t>(bits);
    case ScalarKind::int16:
        return signed_value<std::int16_t>(bits);
    case ScalarKind::int32:
        return signed_value<std::int32_t>(bits);
    case ScalarKind::int64:
        return signed_value<std::int64_t>(bits);
    case ScalarKind::uint8:
    case ScalarKind::uint16:
    case ScalarKind::uint32:
    case ScalarKind::uint64:
        return static_cast<double>(bits);
    case ScalarKind::half:
        return float_of_half(static_cast<std::uint16_t>(bits));
    case ScalarKind::float32:
    case ScalarKind::word:
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case ScalarKind::float64:
        return std::bit_cast<double>(bits);
    }
    return 0;
}

std::uint64_t bits_of_value(double value, ScalarKind kind) {
    switch (kind) {
    case ScalarKind::boolean:
        return value >= 0.5;
    case ScalarKind::int8:
        return integer_bits<std::int8_t>(value);
    case ScalarKind::uint8:
        return integer_bits<std::uint8_t>(value);
    case ScalarKind::int16:
        return integer_bits<std::int16_t>(value);
    case ScalarKind::uint16:
        return integer_bits<std::uint16_t>(value);
    case ScalarKind::int32:
        return integer_bits<std::int32_t>(value);
    case ScalarKind::uint32:
        return integer_bits<std::uint32_t>(value);
    case ScalarKind::int64:
        return integer_bits<std::int64_t>(value);
    case ScalarKind::uint64:
        return integer_bits<std::uint64_t>(value);
    case ScalarKind::half:
        return half_of_double(value);
    case ScalarKind::float32:
    case ScalarKind::word:
        return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case ScalarKind::float64:
        return std::bit_cast<std::uint64_t>(value);
    }
    return 0;
}

} // namespace slimgrad::verify
