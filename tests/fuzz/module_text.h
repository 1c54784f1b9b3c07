#pragma once

#include "tests/fuzz/printer.h"
#include "tests/fuzz/variant.h"

#include <string>
#include <vector>

namespace slimgrad::hunt {

/// A program and the variants of it that are run; central differences are those of the first one.
struct Trial {
    std::vector<Variant> variants;
};

/// Where a module puts its results: variant k of all is at k * `gradient_stride` of gOut (the
/// value, the gradient of each input, the gradient of each weight); trial k at k * `value_stride`
/// of gValues (for each input and each weight, the function's value where it is moved by each of
/// `steps`).
constexpr int gradient_stride = 1 + most_inputs + weight_elements;
constexpr double step_size = 1.0 / 512;
constexpr double steps[] = {step_size, -step_size, step_size / 2, -step_size / 2};
constexpr int value_stride = 4 * (most_inputs + weight_elements);

/// All variants of all trials as one module with one entry point `hunt`: thread k runs variant k,
/// the threads after them the differences of the trials, in double whatever `precision` is.
std::string print_trials(const std::vector<Trial>& trials, Precision precision);

/// The same variants without the differences: thread k runs variant k.
std::string print_variants(const std::vector<Variant>& variants, Precision precision);

/// In gSelected[0], in place of the one thread that is to run.
constexpr int all_threads = -1;

/// Threads of that module.
int thread_count(const std::vector<Trial>& trials);

} // namespace slimgrad::hunt
