#pragma once

#include "rewriter/syntax_tree.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace slimgrad {

/// Where the block comment begins that runs to the end of the text without `*/`. slangc says
/// nothing of it. `tree`: of this text.
std::optional<std::uint32_t> unclosed_comment(const SyntaxTree& tree, std::string_view text);

} // namespace slimgrad
