#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slimgrad::front_end {

/// Applies a unified diff of one file as `patch` does, without fuzz and offsets: nothing where a
/// hunk does not fit. For texts whose lines end with '\n'; written apart from what makes diffs.
std::optional<std::string> apply_patch(std::string_view before, std::string_view diff);

} // namespace slimgrad::front_end
