#pragma once

#include "plugin/verify/input_plan.h"
#include "plugin/verify/verify.h"

#include <string>

namespace slimgrad::verify {

/// The inputs of a plan that no range was given for, as words: "params.near, gIn and gCount". Scalars
/// and buffers by their names under [inputs]; floats first, what the kernel can only read before what
/// it can write, at most three. "" if every input has a range.
std::string free_inputs(const InputPlan& plan, const InputRanges& ranges);

} // namespace slimgrad::verify
