#pragma once

#include <string>
#include <string_view>

namespace slimgrad {

/// Unified diff (three lines of context) that `git apply` and `patch -p1` accept, or "" if the
/// texts are equal. `path` is printed after `a/` and `b/`, without leading slashes and quoted as
/// git does. Bytes are kept as they are: CR, BOM, `\ No newline at end of file`.
std::string unified_diff(std::string_view path, std::string_view before, std::string_view after);

} // namespace slimgrad
