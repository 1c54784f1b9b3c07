#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// A declaration of the compiler's syntax tree, as it was parsed.
struct ParsedDeclaration {
    struct Attribute {
        std::string name; ///< "MaxIters"; "vk_binding" for `vk::binding`
        std::size_t arguments = 0;

        friend bool operator==(const Attribute&, const Attribute&) = default;
    };
    std::string kind; ///< "FuncDecl", "ConstructorDecl", "GetterDecl", "VarDecl", ...
    std::string name; ///< "" of what has none
    std::string file; ///< as the compiler found it
    std::uint32_t line = 0;
    std::vector<Attribute> attributes; ///< in order
};

/// The declarations of `slangc -dump-ast`, except for parameters.
std::vector<ParsedDeclaration> parsed_declarations(std::string_view dump);

/// The part of that dump that `parsed_declarations` reads.
std::string what_declarations_need(std::string_view dump);

} // namespace slimgrad
