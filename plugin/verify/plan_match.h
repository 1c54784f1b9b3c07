#pragma once

#include "plugin/slang/reflection.h"
#include "plugin/verify/input_plan.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::verify {

/// Whether two variants take the same inputs, so that what they write may be compared. Both give
/// one name that stands in the way, "" if none does.

/// A buffer that the two plans have in different form, or of whose name one has two, so that they
/// could not be told apart.
std::string unlike_buffer(const InputPlan& a, const InputPlan& b);

/// An input that only one variant has and that keeps them from seeing the same values: where each
/// has one the other lacks, one may be the other under a new name.
std::string unshared_input(const InputPlan& a, const InputPlan& b);

/// The numthreads of the entry point; of a [CUDAKernel], whose launch sets it, none.
std::vector<std::uint32_t> group_size(const Reflection& reflection, std::string_view entry_point);

} // namespace slimgrad::verify
