#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// A dependency file in Makefile syntax, as Ninja and Make read it: `output: input input`, one
/// input a line. Spaces, `#` and `$` in names are escaped. The order of `inputs` is kept,
/// repetitions are dropped.
std::string depfile(std::string_view output, const std::vector<std::string>& inputs);

} // namespace slimgrad
