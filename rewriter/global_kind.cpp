#include "rewriter/global_kind.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace slimgrad {

namespace {

/// Name of a type as it is applied: "RWStructuredBuffer" for `RWStructuredBuffer<float>[2]`.
std::string base_name(const FileReader& reader, SyntaxNode type) {
    for (;;) {
        if (type.is("array_type"))
            type = type.field("element");
        else if (type.is("generic_expression"))
            type = type.field("name");
        else if (type.is("scope_expression") || type.is("member_expression"))
            type = type.field("member");
        else
            return reader.source(type);
    }
}

GlobalKind kind_of_type(std::string_view name) {
    constexpr std::array<std::string_view, 6> read_only{
        "StructuredBuffer", "ByteAddressBuffer",     "Buffer", "RaytracingAccelerationStructure",
        "SamplerState",     "SamplerComparisonState"};
    constexpr std::array<std::string_view, 6> writable{
        "AppendStructuredBuffer", "ConsumeStructuredBuffer", "Ptr", "TensorView",
        "DiffTensorView",         "FeedbackTexture2D"};
    if (name == "ConstantBuffer" || name == "ParameterBlock" || name == "TextureBuffer")
        return GlobalKind::constant_buffer;
    if (std::find(writable.begin(), writable.end(), name) != writable.end() ||
        name.starts_with("RW") || name.starts_with("RasterizerOrdered") ||
        name.starts_with("WTexture"))
        return GlobalKind::writable_buffer;
    if (std::find(read_only.begin(), read_only.end(), name) != read_only.end() ||
        name.starts_with("Texture") || name.starts_with("Sampler"))
        return GlobalKind::read_only_buffer;
    return GlobalKind::uniform;
}

} // namespace

GlobalKind kind_of_global(const FileReader& reader, SyntaxNode type) {
    return kind_of_type(base_name(reader, type));
}

} // namespace slimgrad
