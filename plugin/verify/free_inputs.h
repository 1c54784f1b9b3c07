#pragma once

#include "plugin/verify/input_plan.h"
#include "plugin/verify/verify.h"

#include <string>
#include <vector>

namespace slimgrad::verify {

/// The name under [inputs] of what a shader writes: "t.size[0]" for `t.size(0)`, others as they
/// are.
std::string input_key(std::string input);

/// Whether no range was given for the input, for what it is a part of, or for a part of it.
bool is_free(const std::string& input, const InputRanges& ranges);

/// The inputs of a plan that no range was given for, as words: "params.near, gIn and gCount".
/// Scalars and buffers by their names under [inputs]; floats first, what the kernel can only read
/// before what it can write, at most three. "" if every input has a range.
std::string free_inputs(const InputPlan& plan, const InputRanges& ranges);

/// Whether no range was given for some integer of the plan.
bool has_free_integers(const InputPlan& plan, const InputRanges& ranges);

/// What to give such words of inputs: "gIn a range", "gIn and gDt ranges"; "its inputs other
/// ranges" for none.
std::string wanted_ranges(const std::string& inputs);

/// "; 'gain' under [inputs] names no input of this kernel", for the names that none has; "" for
/// none.
std::string unknown_names(const std::vector<std::string>& unused_ranges);

/// Which values the inputs were kept to: ", floats in [0, 1], integers from 1"; "" for the usual
/// ones.
std::string describe(const DefaultInputs& inputs);

} // namespace slimgrad::verify
