#include "rewriter/core_result.h"

#include <algorithm>
#include <array>
#include <map>

namespace slimgrad {

namespace {

using Kind = Type::Kind;

enum class Rule {
    first,       ///< type of the first argument
    joined,      ///< what all arguments are converted to
    joined_real, ///< the same, of functions that numbers with a fraction alone have
    element,     ///< scalar of the first argument
    boolean,     ///< bool
    tests,       ///< bool in the first argument's shape
    as_float,    ///< float, int, uint in the first argument's shape
    as_int,
    as_uint,
    float_scalar,
    uint_scalar,
    three_uints,
};

const std::map<std::string_view, Rule>& rules() {
    static const std::map<std::string_view, Rule> table = [] {
        std::map<std::string_view, Rule> made;
        const auto add = [&](Rule rule, std::initializer_list<std::string_view> names) {
            for (std::string_view name : names)
                made.emplace(name, rule);
        };
        add(Rule::first, {"abs",
                          "acos",
                          "asin",
                          "atan",
                          "ceil",
                          "cos",
                          "cosh",
                          "ddx",
                          "ddy",
                          "degrees",
                          "exp",
                          "exp2",
                          "floor",
                          "frac",
                          "fract",
                          "fwidth",
                          "log",
                          "log10",
                          "log2",
                          "normalize",
                          "radians",
                          "rcp",
                          "round",
                          "rsqrt",
                          "saturate",
                          "sin",
                          "sinh",
                          "sqrt",
                          "tan",
                          "tanh",
                          "trunc",
                          "detach",
                          "reversebits",
                          "ddx_fine",
                          "ddy_fine",
                          "ddx_coarse",
                          "ddy_coarse",
                          "NonUniformResourceIndex",
                          "WaveActiveSum",
                          "WaveActiveMin",
                          "WaveActiveMax",
                          "WaveActiveProduct",
                          "WavePrefixSum",
                          "WavePrefixProduct",
                          "WaveReadLaneAt",
                          "WaveReadLaneFirst",
                          "WaveActiveBitOr",
                          "WaveActiveBitAnd",
                          "WaveActiveBitXor"});
        add(Rule::joined, {"max", "min", "clamp", "mad"});
        add(Rule::joined_real, {"lerp", "pow", "fmod", "atan2", "step", "smoothstep", "fma",
                                "reflect", "cross", "faceforward"});
        add(Rule::element, {"dot", "length", "distance", "determinant"});
        add(Rule::boolean, {"any", "all", "WaveIsFirstLane", "WaveActiveAnyTrue",
                            "WaveActiveAllTrue", "IsHelperLane"});
        add(Rule::tests, {"isnan", "isinf", "isfinite"});
        add(Rule::as_float, {"asfloat"});
        add(Rule::as_int, {"asint"});
        add(Rule::as_uint, {"asuint", "countbits", "f32tof16"});
        add(Rule::float_scalar, {"RayTCurrent", "RayTMin"});
        add(Rule::uint_scalar,
            {"WaveGetLaneIndex", "WaveGetLaneCount", "WaveActiveCountBits", "WavePrefixCountBits",
             "PrimitiveIndex", "InstanceIndex", "InstanceID", "GeometryIndex", "RayFlags"});
        add(Rule::three_uints,
            {"cudaThreadIdx", "cudaBlockIdx", "cudaBlockDim", "WorkgroupSize", "WorkgroupCount"});
        return made;
    }();
    return table;
}

TypeRef with_element(TypeTable& types, TypeRef shape, TypeRef element) {
    if (!is_numeric(shape))
        return nullptr;
    if (shape->is(Kind::scalar))
        return element;
    Type changed = *shape;
    changed.arguments[0] = element;
    return types.make(std::move(changed));
}

TypeRef join_all(TypeTable& types, const std::vector<Argument>& arguments) {
    Argument result = arguments.empty() ? Argument{} : arguments[0];
    for (std::size_t i = 1; i < arguments.size(); ++i)
        result = {joined_type(types, result, arguments[i]),
                  std::min(result.literal_bits, arguments[i].literal_bits)};
    return result.type;
}

/// "x", "xyz", "rgba": how many, or 0.
std::size_t swizzle_size(std::string_view name) {
    const auto all_in = [&](std::string_view letters) {
        return name.find_first_not_of(letters) == std::string_view::npos;
    };
    return !name.empty() && name.size() <= 4 && (all_in("xyzw") || all_in("rgba")) ? name.size()
                                                                                   : 0;
}

/// "_m00", "_11_22": how many, or 0.
std::size_t matrix_swizzle_size(std::string_view name) {
    std::size_t count = 0;
    while (!name.empty()) {
        const std::size_t length = name.starts_with("_m") ? 4 : 3;
        if (name[0] != '_' || name.size() < length)
            return 0;
        ++count;
        name.remove_prefix(length);
    }
    return count;
}

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> starts) {
    return std::any_of(starts.begin(), starts.end(),
                       [&](std::string_view start) { return name.starts_with(start); });
}

TypeRef first_argument(TypeTable& types, TypeRef type) {
    if (!type->arguments.empty())
        return type->arguments[0];
    // Textures and typed buffers without an argument have four floats.
    return starts_with_any(type->name, {"Texture", "RWTexture", "Buffer", "RWBuffer", "Sampler"})
               ? types.primitive("float4")
               : nullptr;
}

} // namespace

TypeRef core_function_result(Semantics& semantics, std::string_view name,
                             const std::vector<Argument>& arguments,
                             const std::vector<TypeRef>& generic_arguments) {
    TypeTable& types = semantics.types();
    const TypeRef first = arguments.empty() ? nullptr : arguments[0].type;
    if (name == "diffPair")
        return first && arguments.size() <= 2 && arguments[0].literal_bits == 0
                   ? types.builtin("DifferentialPair", {first})
                   : nullptr;
    if ((name == "bit_cast" || name == "reinterpret") && generic_arguments.size() == 1)
        return generic_arguments[0];
    if (name == "makeTuple") {
        std::vector<TypeRef> parts;
        for (const Argument& argument : arguments)
            parts.push_back(argument.is_list ? nullptr : argument.type);
        const bool is_known = std::all_of(parts.begin(), parts.end(), is_complete);
        return is_known && !parts.empty() ? types.builtin("Tuple", std::move(parts)) : nullptr;
    }
    if (name == "mul" && arguments.size() == 2 && is_numeric(first) &&
        is_numeric(arguments[1].type)) {
        const TypeRef second = arguments[1].type;
        if (first->is(Kind::matrix) && second->is(Kind::vector))
            return types.vector(first->arguments[0], first->arguments[1]);
        if (first->is(Kind::vector) && second->is(Kind::matrix))
            return types.vector(first->arguments[0], second->arguments[2]);
        if (first->is(Kind::matrix) && second->is(Kind::matrix))
            return types.make({Kind::matrix,
                               "",
                               nullptr,
                               {first->arguments[0], first->arguments[1], second->arguments[2]}});
        return first->is(Kind::vector) && second->is(Kind::vector) ? first->arguments[0] : nullptr;
    }
    if (name == "transpose" && first && first->is(Kind::matrix))
        return types.make({Kind::matrix,
                           "",
                           nullptr,
                           {first->arguments[0], first->arguments[2], first->arguments[1]}});
    if (name == "select" && arguments.size() == 3)
        return arguments[1].type == arguments[2].type ? arguments[1].type : nullptr;
    const auto rule = rules().find(name);
    if (rule == rules().end())
        return nullptr;
    switch (rule->second) {
    case Rule::first:
        // Of numbers alone: an integer is converted to a real one.
        if (first && is_numeric(first) && name != "abs" && name != "detach" &&
            !name.starts_with("Wave") && name != "reversebits" &&
            name != "NonUniformResourceIndex" && !is_real(first))
            return nullptr;
        return arguments.size() >= 1 ? first : nullptr;
    case Rule::joined:
        return join_all(types, arguments);
    case Rule::joined_real: {
        const TypeRef joined = join_all(types, arguments);
        return is_real(joined) ? joined : nullptr; // of integers: of which kind, is not known
    }
    case Rule::element:
        // Of integers it is not known: some are of numbers with a fraction alone.
        return is_real(first) && !first->is(Kind::scalar) ? element_of(first) : nullptr;
    case Rule::boolean:
        return types.scalar("bool");
    case Rule::tests:
        return with_element(types, first, types.scalar("bool"));
    case Rule::as_float:
        return with_element(types, first, types.scalar("float"));
    case Rule::as_int:
        return with_element(types, first, types.scalar("int"));
    case Rule::as_uint:
        return arguments.size() == 1 ? with_element(types, first, types.scalar("uint")) : nullptr;
    case Rule::float_scalar:
        return types.scalar("float");
    case Rule::uint_scalar:
        return types.scalar("uint");
    case Rule::three_uints:
        return types.primitive("uint3");
    }
    return nullptr;
}

TypeRef core_method_result(TypeTable& types, TypeRef object, std::string_view name,
                           const std::vector<TypeRef>& generic_arguments) {
    if (!object)
        return nullptr;
    if (object->is(Kind::array) && name == "getCount")
        return types.scalar("int");
    if (!object->is(Kind::builtin))
        return nullptr;
    const std::string& type = object->name;
    const TypeRef element = first_argument(types, object);
    if (type == "ByteAddressBuffer" || type == "RWByteAddressBuffer") {
        if (name == "Load" || name == "LoadAligned")
            return generic_arguments.empty() ? types.scalar("uint") : generic_arguments[0];
        return name.size() == 5 && name.starts_with("Load")
                   ? types.primitive("uint" + std::string(name.substr(4)))
                   : nullptr;
    }
    if (starts_with_any(type, {"Texture", "RWTexture", "Sampler"})) {
        if (starts_with_any(name, {"SampleCmp"}))
            return types.scalar("float");
        if (starts_with_any(name, {"Sample", "Load"}))
            return element;
        return starts_with_any(name, {"Gather"}) && element_of(element)
                   ? types.vector(element_of(element), types.value("4"))
                   : nullptr;
    }
    if (type == "DifferentialPair" && (name == "getPrimal" || name == "v"))
        return element;
    if (type == "TensorView" || type == "DiffTensorView") {
        if (name == "size" || name == "stride" || name == "dims")
            return types.scalar("uint");
        return starts_with_any(name, {"load"}) ? element : nullptr;
    }
    if (type.find("Buffer") != std::string::npos && (name == "Load" || name == "Consume"))
        return element;
    return nullptr;
}

TypeRef core_element(TypeTable& types, TypeRef object) {
    if (!object)
        return nullptr;
    if (object->is(Kind::array) || object->is(Kind::vector))
        return object->arguments[0];
    if (object->is(Kind::matrix))
        return types.vector(object->arguments[0], object->arguments[2]);
    constexpr std::array<std::string_view, 5> others{"Ptr", "ImmutablePtr", "InputPatch",
                                                     "OutputPatch", "OutputVertices"};
    if (object->is(Kind::builtin) &&
        (object->name.find("Buffer") != std::string::npos ||
         object->name.find("Tensor") != std::string::npos ||
         starts_with_any(object->name, {"Texture", "RWTexture", "RasterizerOrdered"}) ||
         std::find(others.begin(), others.end(), object->name) != others.end()) &&
        object->name.find("ByteAddress") == std::string::npos && object->name != "ConstantBuffer" &&
        object->name != "TextureBuffer")
        return first_argument(types, object);
    return nullptr;
}

TypeRef core_member(Semantics& semantics, TypeRef object, std::string_view name) {
    TypeTable& types = semantics.types();
    if (!object)
        return nullptr;
    if (object->is(Kind::scalar) || object->is(Kind::vector)) {
        const std::size_t size = swizzle_size(name);
        const TypeRef element = element_of(object);
        return size == 0   ? nullptr
               : size == 1 ? element
                           : types.vector(element, types.value(std::to_string(size)));
    }
    if (object->is(Kind::matrix)) {
        const std::size_t size = matrix_swizzle_size(name);
        return size == 0   ? nullptr
               : size == 1 ? object->arguments[0]
                           : types.vector(object->arguments[0], types.value(std::to_string(size)));
    }
    if (!object->is(Kind::builtin))
        return nullptr;
    if ((object->name == "DifferentialPair" || object->name == "DifferentialPtrPair") &&
        !object->arguments.empty()) {
        if (name == "p" || name == "v")
            return object->arguments[0];
        if (name == "d")
            return semantics.member_type(object->arguments[0], "Differential");
    }
    if (object->name == "RayDesc")
        return types.primitive(name == "Origin" || name == "Direction" ? "float3"
                               : name == "TMin" || name == "TMax"      ? "float"
                                                                       : "");
    if (object->name == "Optional" && !object->arguments.empty()) {
        if (name == "value")
            return object->arguments[0];
        if (name == "hasValue")
            return types.scalar("bool");
    }
    if (object->name == "Tuple" && name.size() == 2 && name[0] == '_' &&
        std::size_t(name[1] - '0') < object->arguments.size())
        return object->arguments[std::size_t(name[1] - '0')];
    return nullptr;
}

} // namespace slimgrad
