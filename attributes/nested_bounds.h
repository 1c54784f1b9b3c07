#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Two nested loops of one function with unequal bounds that both store values. Slang lays the
/// checkpoint array out as [outer][inner] and indexes it as [inner][outer] (shader-slang/slang
/// issue 13000): gradients are wrong or memory is written out of bounds, without a diagnostic. The
/// two slots of padding hide it where 0 <= outer - inner <= 2: then a note.
///
/// Fixes, of which the trials choose: equal bounds; the inner loop unrolled; the outer loop
/// unrolled; the inner loop in a function of its own.
std::vector<Finding> nested_bounds(const RuleInput& input);

} // namespace slimgrad
