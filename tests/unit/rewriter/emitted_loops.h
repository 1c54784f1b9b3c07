#pragma once

#include "rewriter/result.h"

#include <string>
#include <vector>

namespace slimgrad {

/// The loops of the compiler's CUDA or C++ text, outer ones before inner ones: for each the places
/// that `#line` gives to what is inside, in order; the loop's own place where there is no `#line`
/// inside. Columns are 0. The runtime's prelude, which stands before the first `#line`, is left
/// out.
std::vector<std::vector<Place>> emitted_loops(const std::string& code);

} // namespace slimgrad
