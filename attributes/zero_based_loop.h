#pragma once

#include "attributes/rule.h"

namespace slimgrad {

/// Whether it is a counted loop of a [Differentiable] function that does not start at a constant:
/// where slangc does not know how often it runs either, it emits code that does not compile.
bool starts_at_run_time(const ModuleModel& model, const Loop& loop);

/// Those loops in a module whose emitted code does not compile for them, counted from 0.
///
/// Example: `for (int o = -r; o <= r; ++o) s += f(o);` as
///     for (int trip = 0; -r + trip <= r; trip++)
///     {
///         int o = -r + trip;
///         s += f(o);
///     }
/// A start that is more than an unchanged variable, or less it, is computed once before the loop.
std::vector<Finding> zero_based_loop(const RuleInput& input);

} // namespace slimgrad
