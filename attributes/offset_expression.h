#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace slimgrad {

/// "n + 1" of "n", "(2 * n) + 1" of "2 * n".
std::string with_one_added(const std::string& expression);

/// "n - 2" of "n" and 2, "n" of "n + 2" and 2.
std::string less_by(const std::string& expression, std::int64_t amount);

/// "n" and 5 of "n + 5", "n" and 0 of "n".
std::pair<std::string, std::int64_t> with_offset(const std::string& expression);

} // namespace slimgrad
