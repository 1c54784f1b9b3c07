#pragma once

#include "tests/fuzz/judge.h"
#include "tests/fuzz/known.h"

namespace slimgrad::hunt {

/// A module takes about a second.
constexpr int most_reduction_modules = 80;

struct Reduced {
    Program program; ///< without attributes
    Trial trial;     ///< the variants that show it
    Finding finding;
};

/// The variants that `finding` needs, of this program.
Trial trial_of(const Program& program, const Finding& finding);

/// The known shapes of the variant that is wrong, of those that lead to what happened: none of
/// those that make slangc crash where it did not.
std::set<Known> shapes_of(const Trial& trial, const Finding& finding);

/// Makes a program smaller for as long as it shows a finding of the same kind in the same variants
/// in double precision, and ends after `most_reduction_modules` modules. What it finds at the end
/// may have another cause than what it started from, never another kind; nor does it come to have
/// the shape of a known miscompile that it did not have. Nothing: the program does not show it to
/// begin with. Error: a tool cannot be started.
Result<std::optional<Reduced>> reduce(Laboratory& laboratory, const Program& program,
                                      const Finding& finding);

} // namespace slimgrad::hunt
