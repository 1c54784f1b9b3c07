#pragma once

#include "plugin/trial/figures.h"
#include "plugin/trial/variant.h"

#include <cstddef>
#include <string>
#include <vector>

namespace slimgrad {

/// One fix on top of a variant, with what came of it.
struct Candidate {
    TriedFix tried;
    const Variant* variant = nullptr; ///< null where it could not be made
    Comparison comparison;
};

/// Makes the variant with one fix on top of `current`, measures it and judges by the figures and
/// the compiler's warnings: `applied` means that it would be worth applying. Verifies nothing.
/// Error: a tool cannot be run.
Result<Candidate> attempt(VariantLab& lab, const TrialOptions& options, const Variant& current,
                          const Finding& finding, const Fix& fix);

/// The variant with `edits` on top; null, and the reason in `why`, where they cannot be combined.
Result<const Variant*> with_edits(VariantLab& lab, const Variant& variant,
                                  const std::vector<SourceEdit>& edits, std::string& why);

std::size_t count_errors(const Variant& variant);

/// A warning of `after` that `before` does not have as often; null if there is none. Places are
/// left out: edits move them.
const Diagnostic* new_warning(const Variant& before, const Variant& after);

/// Which tool refuses the variant, and its first error. Only where it is not measured.
std::string failure_of(const Variant& variant);

} // namespace slimgrad
