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

} // namespace slimgrad
