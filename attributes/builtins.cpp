#include "attributes/builtins.h"

#include "rewriter/type.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

namespace slimgrad {

namespace {

// In alphabetical order, for the reader.
constexpr std::string_view pure_functions[] = {
    "__intCast",
    "__realCast",
    "abs",
    "acos",
    "acosh",
    "all",
    "and",
    "any",
    "asdouble",
    "asfloat",
    "asfloat16",
    "asin",
    "asinh",
    "asint",
    "asint16",
    "asuint",
    "asuint16",
    "atan",
    "atan2",
    "atanh",
    "bitfieldExtract",
    "bitfieldInsert",
    "bit_cast",
    "ceil",
    "clamp",
    "concat",
    "copysign",
    "cos",
    "cosh",
    "cospi",
    "countbits",
    "cross",
    "cudaBlockDim",
    "cudaBlockIdx",
    "cudaThreadIdx",
    "degrees",
    "detach",
    "determinant",
    "diffPair",
    "distance",
    "divide",
    "dot",
    "dot2add",
    "dst",
    "dzero",
    "dadd",
    "dmul",
    "exp",
    "exp10",
    "exp2",
    "f16tof32",
    "f32tof16",
    "faceforward",
    "fdim",
    "firstbithigh",
    "firstbitlow",
    "floor",
    "fma",
    "fmax",
    "fmax3",
    "fmedian3",
    "fmin",
    "fmin3",
    "fmod",
    "frac",
    "fract",
    "frexp",
    "getCount",
    "getP",
    "isfinite",
    "isinf",
    "isnan",
    "ldexp",
    "length",
    "lerp",
    "lit",
    "log",
    "log10",
    "log2",
    "mad",
    "makeArray",
    "makeArrayFromElement",
    "makeTuple",
    "max",
    "max3",
    "median3",
    "min",
    "min3",
    "mix",
    "modf",
    "msad4",
    "mul",
    "normalize",
    "nextafter",
    "not",
    "or",
    "outerProduct",
    "pow",
    "powr",
    "radians",
    "rcp",
    "reflect",
    "refract",
    "reinterpret",
    "reversebits",
    "round",
    "rsqrt",
    "saturate",
    "select",
    "sign",
    "sin",
    "sincos",
    "sinh",
    "sinpi",
    "smoothstep",
    "sqrt",
    "step",
    "tan",
    "tanh",
    "tanpi",
    "transpose",
    "trunc",
    "unpackHalf2x16",
    "updateDiff",
    "updatePrimal",
    "updatePair",
};

constexpr std::string_view reading_methods[] = {
    "Gather",
    "GatherAlpha",
    "GatherBlue",
    "GatherCmp",
    "GatherGreen",
    "GatherRed",
    "GetDimensions",
    "GetSamplePosition",
    "Load",
    "Load2",
    "Load3",
    "Load4",
    "LoadAligned",
    "LoadByteOffset",
    "Sample",
    "SampleBias",
    "SampleCmp",
    "SampleCmpLevelZero",
    "SampleGrad",
    "SampleLevel",
    "SampleLevelZero",
    "dims",
    "load",
    "loadOnce",
    "load_prim",
    "size",
    "stride",
};

constexpr std::string_view writing_prefixes[] = {"Store",     "store",     "Interlocked", "atomic",
                                                 "Atomic",    "__atomic",  "Append",      "Consume",
                                                 "Increment", "Decrement", "add_",        "red"};

constexpr std::string_view impure_prefixes[] = {"Wave",
                                                "Quad",
                                                "wave",
                                                "subgroup",
                                                "GroupMemoryBarrier",
                                                "DeviceMemoryBarrier",
                                                "AllMemoryBarrier",
                                                "barrier",
                                                "memoryBarrier",
                                                "groupMemoryBarrier",
                                                "printf",
                                                "debugBreak",
                                                "discard",
                                                "clip",
                                                "ddx",
                                                "ddy",
                                                "dFd",
                                                "fwidth",
                                                "TraceRay",
                                                "TraceMotionRay",
                                                "CallShader",
                                                "ReportHit",
                                                "IgnoreHit",
                                                "AcceptHit",
                                                "RayQuery",
                                                "getRealtimeClock",
                                                "clock",
                                                "NonUniformResourceIndex",
                                                "assert",
                                                "__requirePrelude",
                                                "syncThreads",
                                                "__sync",
                                                "Barrier"};

bool in(std::string_view name, const std::string_view* begin, const std::string_view* end) {
    return std::find(begin, end, name) != end;
}

bool has_prefix(std::string_view name, const std::string_view* begin, const std::string_view* end) {
    return std::any_of(begin, end,
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
}

} // namespace

bool is_builtin_type(std::string_view name) {
    constexpr std::string_view types[] = {
        "Array", "DifferentialPair", "DifferentialPtrPair", "Optional", "Tuple", "matrix",
        "vector"};
    return !scalar_of(name).empty() || in(name, std::begin(types), std::end(types));
}

bool gives_shape(std::string_view method) {
    return method == "size" || method == "dims" || method == "stride" || method == "GetDimensions";
}

BuiltinEffect builtin_effect(std::string_view name) {
    if (is_builtin_type(name) || in(name, std::begin(pure_functions), std::end(pure_functions)))
        return BuiltinEffect::pure;
    if (in(name, std::begin(reading_methods), std::end(reading_methods)))
        return BuiltinEffect::reads_receiver;
    if (has_prefix(name, std::begin(impure_prefixes), std::end(impure_prefixes)))
        return BuiltinEffect::impure;
    if (has_prefix(name, std::begin(writing_prefixes), std::end(writing_prefixes)))
        return BuiltinEffect::writes;
    return BuiltinEffect::unknown;
}

} // namespace slimgrad
