#pragma once

#include "rewriter/file_reader.h"

namespace slimgrad {

/// What a global without `static`, `groupshared` and the like is, by its type.
GlobalKind kind_of_global(const FileReader& reader, SyntaxNode type);

} // namespace slimgrad
