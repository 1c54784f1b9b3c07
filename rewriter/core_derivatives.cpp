#include "rewriter/core_derivatives.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace slimgrad {

namespace {

constexpr std::array<std::string_view, 47> differentiable{
    "abs",       "acos",     "acosh",   "asin",        "asinh",
    "atan",      "atan2",    "atanh",   "clamp",       "cos",
    "cosh",      "cross",    "degrees", "determinant", "distance",
    "dot",       "exp",      "exp2",    "fma",         "fmod",
    "frac",      "length",   "lerp",    "log",         "log10",
    "log2",      "mad",      "max",     "min",         "mul",
    "normalize", "pow",      "radians", "rcp",         "reflect",
    "rsqrt",     "saturate", "select",  "sin",         "sinh",
    "sqrt",      "tan",      "tanh",    "transpose",   "makeArrayFromElement",
    "makeTuple", "concat"};

constexpr std::array<std::string_view, 38> not_differentiable{
    "ceil",       "cospi",        "ddx",    "ddx_coarse",    "ddx_fine",    "ddy",
    "ddy_coarse", "ddy_fine",     "divide", "exp10",         "fabs",        "faceforward",
    "fdim",       "floor",        "fmax",   "fmax3",         "fmedian3",    "fmin",
    "fmin3",      "fract",        "fwidth", "fwidth_coarse", "fwidth_fine", "ldexp",
    "max3",       "median3",      "min3",   "modf",          "nextafter",   "powr",
    "rint",       "round",        "sinpi",  "smoothstep",    "step",        "tanpi",
    "trunc",      "WaveActiveSum"};

// Their results are no floating-point numbers.
constexpr std::array<std::string_view, 14> to_bits{
    "all",   "any",    "isfinite", "isinf",    "isnan",        "and",       "or",
    "asint", "asuint", "f32tof16", "asuint16", "packHalf2x16", "countbits", "not"};

template <std::size_t Size>
bool in(std::string_view name, const std::array<std::string_view, Size>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

DerivativeAnswer derivative_of_core_function(std::string_view name) {
    if (name == "detach")
        return DerivativeAnswer::does_not("detach");
    if (name == "sign")
        return DerivativeAnswer::does_not("the derivative of 'sign' is 0");
    if (in(name, differentiable))
        return {};
    if (in(name, to_bits))
        return DerivativeAnswer::does_not("integer");
    if (in(name, not_differentiable))
        return DerivativeAnswer::does_not(fmt::format("callee '{}' is not differentiable", name));
    return DerivativeAnswer::unknown(
        fmt::format("whether '{}' is differentiable is not known", name));
}

std::vector<std::string_view> core_functions(DerivativeUse use) {
    if (use == DerivativeUse::carries)
        return {differentiable.begin(), differentiable.end()};
    if (use == DerivativeUse::does_not)
        return {not_differentiable.begin(), not_differentiable.end()};
    return {};
}

} // namespace slimgrad
