#pragma once

#include "rewriter/function_signature.h"
#include "rewriter/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

enum class TypeKind {
    scalar,
    vector,
    matrix,
    array,
    structure,
    structured_buffer, ///< StructuredBuffer<T>, RWStructuredBuffer<T>
    byte_address_buffer,
    constant_buffer, ///< cbuffer, ConstantBuffer<T>, ParameterBlock<T>
    pointer,
    texture,
    sampler,
    tensor_view, ///< TensorView, DiffTensorView, torch tensors
    other,       ///< nothing that can be filled from outside
};

enum class ScalarType {
    unknown,
    boolean,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    half,
    float32,
    float64
};

struct TypeLayout;

struct FieldLayout {
    std::string name;
    std::uint64_t offset =
        0; ///< bytes from the start of the structure, in the layout of the target asked for
    std::shared_ptr<const TypeLayout> type;
};

/// A type as Slang's reflection lays it out for one target. All sizes in bytes.
struct TypeLayout {
    TypeKind kind = TypeKind::other;
    std::string name; ///< as Slang writes it: "float3", "RWStructuredBuffer<float>"
    ScalarType scalar = ScalarType::unknown; ///< of scalar, vector, matrix
    std::uint32_t rows = 1;                  ///< of a matrix
    std::uint32_t columns = 1;               ///< of a vector or matrix
    std::uint64_t element_count = 0;         ///< of an array
    std::uint64_t stride = 0;                ///< of an array's or buffer's elements
    std::uint64_t size = 0;
    std::uint64_t alignment = 1;
    bool writable = false;                     ///< of a buffer or texture
    std::shared_ptr<const TypeLayout> element; ///< of an array, buffer, constant buffer, pointer
    std::vector<FieldLayout> fields;           ///< of a structure
};

/// One parameter that the host sets: a global or an entry point's `uniform`.
struct ParameterLayout {
    std::string name;
    std::uint64_t offset = 0; ///< bytes into the block of globals or of entry-point parameters
    TypeLayout type;
    std::string
        semantic; ///< "SV_DISPATCHTHREADID" for a varying input, which the host does not set
};

struct EntryPoint {
    std::string name;
    std::string
        code_name; ///< of the function in the generated text, which renames "main" to "main_0"
    /// "compute", or "" for a [CUDAKernel] function: then `name` is the CUDA text's
    /// ("__kernel__f_bwd_diff" for the backward pass of f, where f is bound to PyTorch) and the
    /// parameters are those of f.
    std::string stage;
    std::uint32_t thread_group[3] = {1, 1, 1};
    std::vector<ParameterLayout> uniforms; ///< in order
    std::uint64_t uniform_bytes = 0;
};

/// A function with the types of what it takes and gives taken apart, for text that calls it or its
/// derivatives.
struct FunctionShape {
    struct Value {
        std::string name;
        TypeLayout type;
        bool is_in = true, is_out = false;
        bool no_diff = false; ///< as written
    };
    std::string name;    ///< as asked for: "N.eval<8>"
    bool known = false;  ///< there is a function of this name
    std::string problem; ///< why the rest is not known
    /// Of a method, which is no static one: the first parameter is the object, "this".
    bool has_this = false;
    std::vector<Value> parameters;
    std::optional<TypeLayout> result; ///< none: void
    bool result_no_diff = false;
    /// `T.Differential` of every structure in these types that is differentiable, by T's name.
    std::map<std::string, TypeLayout> differentials;
};

struct Reflection {
    std::vector<ParameterLayout> globals; ///< in declaration order
    std::uint64_t global_bytes = 0;
    std::vector<EntryPoint> entry_points;
    std::vector<FunctionSignature>
        functions;                     ///< all functions that the module declares, members included
    std::vector<FunctionShape> shapes; ///< of CompileRequest::shapes, of each overload one
};

} // namespace slimgrad
