#pragma once

#include <string>
#include <string_view>

namespace slimgrad::slang_plugin {

/// The path with links, "." and ".." resolved, also where (the rest of) it does not exist; relative
/// paths start from the working directory. "" where links turn in a circle.
std::string canonical_path(std::string_view path);

/// "a/./b/../c.slang" -> "a/c.slang" by the text alone, as Slang does it for its own file system:
/// what the `#line` directives say depends on it.
std::string simplified_path(std::string_view path);

} // namespace slimgrad::slang_plugin
