#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace slimgrad {

struct Declaration;
struct Type;

/// A type of a TypeTable; null where it is not known. Known types are equal where their references
/// are, unless something inside them is not known (`is_complete`).
using TypeRef = const Type*;

/// A type of the language as the text tells it, aliases replaced.
struct Type {
    enum class Kind {
        void_type,
        scalar,       ///< `name`: "float", "uint16_t"
        vector,       ///< arguments: element, size
        matrix,       ///< arguments: element, rows, columns
        array,        ///< arguments: element, size (null also for an array without one)
        declared,     ///< struct, interface or enum of the module; arguments of its generics and
                      ///< those around it
        parameter,    ///< generic parameter: a type, or a value
        this_type,    ///< `This` in the interface `declaration`
        associated,   ///< the associated type `declaration` of arguments[0]
        differential, ///< `Differential` of arguments[0], where no declaration tells more
        builtin,      ///< `name` of Slang's core module with its arguments
        conjunction,  ///< `A & B`
        value,        ///< an argument that is a number: `name` is "4"
    };

    Kind kind = Kind::void_type;
    std::string name;
    const Declaration* declaration = nullptr;
    std::vector<TypeRef> arguments;

    bool is(Kind other) const { return kind == other; }
};

/// Makes each type once.
class TypeTable {
  public:
    TypeRef make(Type type);
    TypeRef scalar(std::string_view name);
    TypeRef value(std::string number);
    TypeRef vector(TypeRef element, TypeRef size);
    TypeRef builtin(std::string_view name, std::vector<TypeRef> arguments = {});
    TypeRef void_type();
    /// The type that a word names without any declaration: "float", "uint4", "half3x3", "void";
    /// null for other words.
    TypeRef primitive(std::string_view word);

  private:
    using Key = std::tuple<Type::Kind, std::string, const Declaration*, std::vector<TypeRef>>;
    std::map<Key, TypeRef> known_;
    std::deque<Type> types_;
};

/// Whether nothing in it is unknown.
bool is_complete(TypeRef type);
/// Whether a generic parameter, `This` or an associated type is part of it.
bool is_open(TypeRef type);
/// As Slang writes it; "" for null, "_" for what is not known inside of it.
std::string spelling(TypeRef type);

/// "float" of `float`, `float3`, `float3x3`; null for what is none of them.
TypeRef element_of(TypeRef type);

/// Whether it is a scalar, vector or matrix of float, half or double.
bool is_real(TypeRef type);
/// Scalars, vectors and matrices.
bool is_numeric(TypeRef type);
/// The same of a word: "float" of `float4x4`, as it is written; "" of what is none of them.
std::string_view scalar_of(std::string_view word);

} // namespace slimgrad
