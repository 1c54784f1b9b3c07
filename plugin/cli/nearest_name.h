#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// The candidate that is the fewest single-letter edits away from `name`, or "" if none is close
/// enough (a third of the longer one's letters, at least two, or one in a name of up to three) to
/// be what was meant. Ties go to the earlier candidate. Example: "prefer-recompte" gives
/// "prefer-recompute".
std::string nearest_name(std::string_view name, const std::vector<std::string_view>& candidates);

/// `; did you mean 'NAME'?`, or "" if nothing is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& candidates);

} // namespace slimgrad
