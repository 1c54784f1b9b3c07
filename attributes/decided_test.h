#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace slimgrad {

/// Whether a test of numbers holds, in any floating-point type: comparisons of sums, products and
/// abs, min, max, detach of literals. `value_of` gives the text that a name stands for. Nothing
/// where the text is anything else, and where two sides are so close that rounding may decide.
///
/// Example: `abs(v - 0.f) < 1e-6f` does not hold where v is "1.f".
std::optional<bool>
decided_test(std::string_view test,
             const std::function<std::optional<std::string>(std::string_view name)>& value_of);

} // namespace slimgrad
