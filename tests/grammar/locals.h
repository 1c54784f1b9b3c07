#pragma once

#include "tests/grammar/query.h"

#include <cstdint>
#include <map>
#include <vector>

namespace slimgrad::tests {

/// The definition of every name that has one: from the first byte of what refers to it to the first
/// byte of the definition. Takes what `locals.scm` captures. As tree-sitter's own highlighter has
/// it, a definition is known from its place to the end of the innermost scope around it, and hides
/// what is defined outside.
std::map<std::uint32_t, std::uint32_t> definitions_of(const std::vector<Match>& locals,
                                                      std::string_view source);

} // namespace slimgrad::tests
