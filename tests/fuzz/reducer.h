#pragma once

#include "tests/fuzz/judge.h"

namespace slimgrad::hunt {

struct Reduced {
    Program program; ///< without attributes
    Trial trial;     ///< the variants that show it
    Finding finding;
};

/// The variants that `finding` needs, of this program.
Trial trial_of(const Program& program, const Finding& finding);

/// Makes a program smaller for as long as it shows a finding of the same kind in the same variants
/// in double precision. What it finds at the end may have another cause than what it started from,
/// never another kind; nor does it come to have the shape of a known miscompile that it did not
/// have. Nothing: the program does not show it to begin with. Error: a tool cannot be started.
Result<std::optional<Reduced>> reduce(Laboratory& laboratory, const Program& program,
                                      const Finding& finding);

} // namespace slimgrad::hunt
