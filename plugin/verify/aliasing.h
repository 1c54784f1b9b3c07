#pragma once

#include "plugin/verify/input_plan.h"

#include <cstddef>
#include <vector>

namespace slimgrad::verify {

/// By buffer of the plan: the one whose memory it uses. Each its own, unless the plan is
/// `overlapped`: then what may alias (behind tensors and pointers, and the parameters of the entry
/// point; distinct global bindings do not) shares the first one's of elements of that type.
std::vector<std::size_t> memory_of(const InputPlan& plan);

/// Whether the plan lets two buffers share memory.
bool overlaps(const InputPlan& plan);

} // namespace slimgrad::verify
