#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace slimgrad::front_end {

/// A text near to `text`, at most `most` bytes long: pieces of its syntax tree (whole declarations,
/// statements, expressions, tokens) are deleted, doubled, swapped, nested in themselves, replaced
/// by pieces of `other` of the same kind, or surrounded by what may stand around them. The same
/// arguments give the same text.
std::string mutate_syntax(std::string_view text, std::string_view other, std::uint64_t seed,
                          std::size_t most);

} // namespace slimgrad::front_end
