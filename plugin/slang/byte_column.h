#pragma once

#include <cstdint>
#include <string_view>

namespace slimgrad::slang_plugin {

/// The column in bytes for one in characters, both from 1. `text` is the whole file; its byte order
/// mark is not counted. Counts what Slang counts: an ill-formed byte is a character.
std::uint32_t byte_column(std::string_view text, std::uint32_t line, std::uint32_t column);

} // namespace slimgrad::slang_plugin
