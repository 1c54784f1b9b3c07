#pragma once

#include <cstddef>
#include <string_view>

namespace slimgrad {

/// Comments and preprocessor lines of a text, never fewer than the parser sees: what looks like one
/// in a string counts, and so does all that stands in a branch that may be left out.
struct ExtraCount {
    std::size_t all = 0;
    std::size_t longest_run = 0; ///< that follow each other without a token between them
};

ExtraCount count_extras(std::string_view text);

} // namespace slimgrad
