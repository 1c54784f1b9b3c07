#include "plugin/slang/reflect_layout.h"
#include "plugin/slang/slang_ptr.h"

#include <algorithm>
#include <cctype>

namespace slimgrad::slang_plugin {
namespace {

using Kind = slang::TypeReflection::Kind;

ScalarType scalar_type(slang::TypeReflection::ScalarType type) {
    using Scalar = slang::TypeReflection::ScalarType;
    switch (type) {
    case Scalar::Bool:
        return ScalarType::boolean;
    case Scalar::Int8:
        return ScalarType::int8;
    case Scalar::UInt8:
        return ScalarType::uint8;
    case Scalar::Int16:
        return ScalarType::int16;
    case Scalar::UInt16:
        return ScalarType::uint16;
    case Scalar::Int32:
        return ScalarType::int32;
    case Scalar::UInt32:
        return ScalarType::uint32;
    case Scalar::Int64:
    case Scalar::IntPtr:
        return ScalarType::int64;
    case Scalar::UInt64:
    case Scalar::UIntPtr:
        return ScalarType::uint64;
    case Scalar::Float16:
        return ScalarType::half;
    case Scalar::Float32:
        return ScalarType::float32;
    case Scalar::Float64:
        return ScalarType::float64;
    default:
        return ScalarType::unknown;
    }
}

TypeKind resource_kind(slang::TypeReflection& type) {
    switch (type.getResourceShape() & SLANG_RESOURCE_BASE_SHAPE_MASK) {
    case SLANG_STRUCTURED_BUFFER:
        return TypeKind::structured_buffer;
    case SLANG_BYTE_ADDRESS_BUFFER:
        return TypeKind::byte_address_buffer;
    case SLANG_TEXTURE_1D:
    case SLANG_TEXTURE_2D:
    case SLANG_TEXTURE_3D:
    case SLANG_TEXTURE_CUBE:
    case SLANG_TEXTURE_BUFFER:
        return TypeKind::texture;
    default:
        return TypeKind::other;
    }
}

/// Torch tensors are structures or opaque types to reflection: only the name tells.
bool is_tensor_view(std::string_view name) {
    return name.starts_with("TensorView<") || name.starts_with("DiffTensorView<") ||
           name == "DiffTensorView" || name.starts_with("TorchTensor<");
}

TypeKind type_kind(slang::TypeReflection& type, std::string_view name) {
    if (is_tensor_view(name))
        return TypeKind::tensor_view;
    switch (type.getKind()) {
    case Kind::Scalar:
    case Kind::Enum:
        return TypeKind::scalar;
    case Kind::Vector:
        return TypeKind::vector;
    case Kind::Matrix:
        return TypeKind::matrix;
    case Kind::Array:
        return TypeKind::array;
    case Kind::Struct:
        return TypeKind::structure;
    case Kind::ConstantBuffer:
    case Kind::ParameterBlock:
        return TypeKind::constant_buffer;
    case Kind::Resource:
    case Kind::ShaderStorageBuffer:
    case Kind::TextureBuffer:
        return resource_kind(type);
    case Kind::SamplerState:
        return TypeKind::sampler;
    case Kind::Pointer:
        return TypeKind::pointer;
    default:
        return TypeKind::other;
    }
}

std::uint64_t known(std::size_t size) {
    return size >= SLANG_UNKNOWN_SIZE ? 0 : size;
}

std::shared_ptr<const TypeLayout> shared(TypeLayout layout) {
    return std::make_shared<const TypeLayout>(std::move(layout));
}

/// The layout of an enumeration's values is that of their integer type: only the declared type has
/// the name.
TypeLayout with_name(TypeLayout layout, slang::TypeReflection* declared) {
    if (declared && declared->getKind() == Kind::Enum)
        layout.name = full_name(declared);
    return layout;
}

/// Only pointers can make a type contain itself.
TypeLayout reflect(slang::TypeLayoutReflection& layout, bool behind_pointer) {
    slang::TypeReflection& type = *layout.getType();
    TypeLayout result;
    result.name = full_name(&type);
    result.kind = type_kind(type, result.name);
    result.size = known(layout.getSize());
    result.alignment = static_cast<std::uint64_t>(
        std::max(1, layout.getAlignment(SLANG_PARAMETER_CATEGORY_UNIFORM)));
    slang::TypeLayoutReflection* element = nullptr;
    switch (result.kind) {
    case TypeKind::scalar:
    case TypeKind::vector:
    case TypeKind::matrix:
        result.scalar = scalar_type(type.getScalarType());
        result.rows = std::max(1u, type.getRowCount());
        result.columns = std::max(1u, type.getColumnCount());
        if (type.getKind() == Kind::Enum)
            result.scalar = ScalarType::int32;
        break;
    case TypeKind::array:
        result.element_count = known(type.getElementCount());
        result.stride = known(layout.getElementStride(SLANG_PARAMETER_CATEGORY_UNIFORM));
        element = layout.getElementTypeLayout();
        break;
    case TypeKind::structure:
    case TypeKind::tensor_view:
        for (unsigned i = 0; i < layout.getFieldCount(); ++i) {
            slang::VariableLayoutReflection& field = *layout.getFieldByIndex(i);
            const char* name = field.getName();
            slang::VariableReflection* variable = field.getVariable();
            result.fields.push_back(
                {name ? name : "", known(field.getOffset()),
                 shared(with_name(reflect(*field.getTypeLayout(), behind_pointer),
                                  variable ? variable->getType() : nullptr))});
        }
        break;
    case TypeKind::pointer:
        if (!behind_pointer)
            element = layout.getElementTypeLayout();
        behind_pointer = true;
        break;
    case TypeKind::structured_buffer:
    case TypeKind::constant_buffer:
        element = layout.getElementTypeLayout();
        break;
    case TypeKind::byte_address_buffer:
        result.stride = 1;
        break;
    case TypeKind::texture:
    case TypeKind::sampler:
    case TypeKind::other:
        break;
    }
    if (type.getKind() == Kind::Resource)
        result.writable = type.getResourceAccess() != SLANG_RESOURCE_ACCESS_READ &&
                          type.getResourceAccess() != SLANG_RESOURCE_ACCESS_NONE;
    else
        result.writable = result.kind == TypeKind::pointer || result.kind == TypeKind::tensor_view;
    if (element) {
        result.element =
            shared(with_name(reflect(*element, behind_pointer), type.getElementType()));
        if (result.stride == 0)
            result.stride = known(element->getStride());
    }
    return result;
}

ParameterLayout reflect_parameter(slang::VariableLayoutReflection& parameter) {
    ParameterLayout result;
    result.name = parameter.getName() ? parameter.getName() : "";
    result.offset = known(parameter.getOffset());
    result.type = reflect_type(*parameter.getTypeLayout());
    if (const char* semantic = parameter.getSemanticName())
        for (const char* c = semantic; *c; ++c)
            result.semantic += static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
    return result;
}

const char* stage_name(SlangStage stage) {
    switch (stage) {
    case SLANG_STAGE_VERTEX:
        return "vertex";
    case SLANG_STAGE_HULL:
        return "hull";
    case SLANG_STAGE_DOMAIN:
        return "domain";
    case SLANG_STAGE_GEOMETRY:
        return "geometry";
    case SLANG_STAGE_FRAGMENT:
        return "fragment";
    case SLANG_STAGE_COMPUTE:
        return "compute";
    case SLANG_STAGE_RAY_GENERATION:
        return "raygeneration";
    case SLANG_STAGE_INTERSECTION:
        return "intersection";
    case SLANG_STAGE_ANY_HIT:
        return "anyhit";
    case SLANG_STAGE_CLOSEST_HIT:
        return "closesthit";
    case SLANG_STAGE_MISS:
        return "miss";
    case SLANG_STAGE_CALLABLE:
        return "callable";
    case SLANG_STAGE_MESH:
        return "mesh";
    case SLANG_STAGE_AMPLIFICATION:
        return "amplification";
    case SLANG_STAGE_DISPATCH:
        return "dispatch";
    default:
        return "";
    }
}

EntryPoint reflect_entry_point(slang::EntryPointReflection& reflected) {
    EntryPoint entry;
    entry.name = reflected.getName();
    entry.stage = stage_name(reflected.getStage());
    SlangUInt group[3] = {1, 1, 1};
    if (reflected.getStage() == SLANG_STAGE_COMPUTE)
        reflected.getComputeThreadGroupSize(3, group);
    for (int axis = 0; axis < 3; ++axis)
        entry.thread_group[axis] = static_cast<std::uint32_t>(group[axis]);
    std::uint64_t end = 0, alignment = 1;
    for (unsigned i = 0; i < reflected.getParameterCount(); ++i) {
        ParameterLayout parameter = reflect_parameter(*reflected.getParameterByIndex(i));
        if (parameter.semantic.empty()) {
            end = std::max(end, parameter.offset + parameter.type.size);
            alignment = std::max(alignment, parameter.type.alignment);
        }
        entry.uniforms.push_back(std::move(parameter));
    }
    entry.uniform_bytes = (end + alignment - 1) / alignment * alignment;
    return entry;
}

} // namespace

std::string full_name(slang::TypeReflection* type) {
    if (!type)
        return "void";
    SlangPtr<ISlangBlob> blob = take<ISlangBlob>([&](ISlangBlob** to) { type->getFullName(to); });
    if (!blob)
        return type->getName() ? type->getName() : "";
    // The defaults of buffers and pointers are spelled out.
    constexpr std::string_view default_layout = ", DefaultDataLayout";
    std::string name = static_cast<const char*>(blob->getBufferPointer());
    for (std::size_t at; (at = name.find(default_layout)) != std::string::npos;)
        name.erase(at, default_layout.size());
    return name;
}

TypeLayout reflect_type(slang::TypeLayoutReflection& layout) {
    return reflect(layout, false);
}

Reflection reflect_layout(slang::ProgramLayout& program) {
    Reflection reflection;
    for (unsigned i = 0; i < program.getParameterCount(); ++i)
        reflection.globals.push_back(reflect_parameter(*program.getParameterByIndex(i)));
    reflection.global_bytes = known(program.getGlobalConstantBufferSize());
    for (SlangUInt i = 0; i < program.getEntryPointCount(); ++i)
        reflection.entry_points.push_back(reflect_entry_point(*program.getEntryPointByIndex(i)));
    return reflection;
}

} // namespace slimgrad::slang_plugin
