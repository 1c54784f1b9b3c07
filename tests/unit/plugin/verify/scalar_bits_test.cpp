#include "plugin/verify/input_plan.h"

#include <doctest/doctest.h>
#include <limits>

using namespace slimgrad::verify;

TEST_CASE("values go to bits and back") {
    for (const ScalarKind kind :
         {ScalarKind::int8, ScalarKind::int16, ScalarKind::int32, ScalarKind::int64,
          ScalarKind::half, ScalarKind::float32, ScalarKind::float64, ScalarKind::word})
        for (const double value : {0.0, 1.0, -1.0, 100.0, -128.0})
            CHECK(value_of_bits(bits_of_value(value, kind), kind) == value);
    CHECK(bits_of_value(-1, ScalarKind::int16) == 0xffff);
    CHECK(bits_of_value(-1, ScalarKind::uint32) == 0);
    CHECK(bits_of_value(1e30, ScalarKind::uint8) == 255);
    CHECK(bits_of_value(0.2, ScalarKind::boolean) == 0);
    CHECK(bits_of_value(1, ScalarKind::boolean) == 1);
}

TEST_CASE("half: rounding to even, subnormals, infinity, NaN") {
    CHECK(bits_of_value(1.0, ScalarKind::half) == 0x3c00);
    CHECK(bits_of_value(1.0 + 0x1p-11, ScalarKind::half) == 0x3c00);
    CHECK(bits_of_value(1.0 + 0x3p-11, ScalarKind::half) == 0x3c02);
    CHECK(bits_of_value(0x1p-24, ScalarKind::half) == 1);
    CHECK(bits_of_value(0x1.ff8p-15, ScalarKind::half) == 0x03ff);
    CHECK(bits_of_value(2047.5, ScalarKind::half) == 0x6800); // carries into the exponent
    CHECK(bits_of_value(65504, ScalarKind::half) == 0x7bff);
    CHECK(bits_of_value(65520, ScalarKind::half) == 0x7c00);
    CHECK(value_of_bits(0xfc00, ScalarKind::half) == -std::numeric_limits<double>::infinity());
    CHECK(value_of_bits(0x7e00, ScalarKind::half) != value_of_bits(0x7e00, ScalarKind::half));
    CHECK(value_of_bits(0x0001, ScalarKind::half) == 0x1p-24);
}

TEST_CASE("a word of a byte-address buffer is a float if it looks like one") {
    CHECK(holds_float(bits_of_value(1.5, ScalarKind::float32), ScalarKind::word));
    CHECK(holds_float(bits_of_value(-1e-30, ScalarKind::float32), ScalarKind::word));
    CHECK(holds_float(0, ScalarKind::word));
    CHECK(holds_float(0x7fc00000, ScalarKind::word));
    CHECK_FALSE(holds_float(7, ScalarKind::word));
    CHECK_FALSE(holds_float(0xffffffff, ScalarKind::word));
    CHECK_FALSE(holds_float(7, ScalarKind::uint32));
}
