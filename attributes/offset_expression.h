#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace slimgrad {

/// "n + 1" of "n", "(2 * n) + 1" of "2 * n".
std::string with_one_added(const std::string& expression);

/// "n" and 5 of "n + 5", "n" and 0 of "n".
std::pair<std::string, std::int64_t> with_offset(const std::string& expression);

} // namespace slimgrad
