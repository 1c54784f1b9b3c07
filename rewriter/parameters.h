#pragma once

#include "rewriter/file_reader.h"

#include <string>
#include <vector>

namespace slimgrad {

/// A type's text, macros in it replaced.
std::string type_text(const FileReader& reader, SyntaxNode type);

/// The name in `: SV_Target0` of a parameter or function, or "".
std::string semantic_of(const FileReader& reader, SyntaxNode declaration);

/// Adds the parameters of a list to the function's.
void read_parameters(const FileReader& reader, SyntaxNode list, Function& function);

/// Of `__generic<T>` before a declaration and of `<T>` behind its name.
void read_all_generics(const FileReader& reader, SyntaxNode node,
                       std::vector<GenericParameter>& generics);

} // namespace slimgrad
