#pragma once

#include "rewriter/file_reader.h"

#include <string>
#include <vector>

namespace slimgrad {

/// What stands before a declaration or a statement.
struct Prefix {
    std::vector<Attribute> attributes;
    std::vector<std::string> modifiers;
};

/// Attributes and modifiers of a node. Macros among them are replaced by the attributes and
/// modifiers that they stand for; a word that is no macro is a modifier.
Prefix read_prefix(const FileReader& reader, SyntaxNode owner);

/// Adds the attributes and modifiers that a declaration has from its type, where that is a macro:
/// `KERNEL main()` with `#define KERNEL [shader("compute")] [numthreads(1, 1, 1)] void`. Returns
/// whether there was one.
bool add_prefix_of_type(const FileReader& reader, SyntaxNode type, Prefix& prefix);

} // namespace slimgrad
