#pragma once

#include "tests/grammar/query.h"

#include <cstdint>
#include <vector>

namespace slimgrad::tests {

/// A name that refers to a definition.
struct Reference {
    std::uint32_t start, end; ///< bytes
    std::uint32_t definition; ///< its first byte
};

/// The names that refer to a definition, by place. Takes what `locals.scm` captures. As
/// tree-sitter's own highlighter has it, a definition is known from its place to the end of the
/// innermost scope around it, and hides what is defined outside.
std::vector<Reference> references_in(const std::vector<Match>& locals, std::string_view source);

} // namespace slimgrad::tests
