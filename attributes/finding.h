#pragma once

#include "rewriter/result.h"
#include "rewriter/source_edit.h"

#include <cstdint>
#include <string>
#include <vector>

namespace slimgrad {

/// error: gradients or memory are wrong, or the emitted code does not compile. cost: the backward
/// kernel could be cheaper. note: something to know; never changes an exit code.
enum class Severity { error, cost, note };

/// safe: the same gradients by construction. unsafe: the same only if `Fix::condition` holds.
enum class Applicability { safe, unsafe };

/// One way to answer a finding.
struct Fix {
    std::string description; ///< "mark 'sampleGrid' [PreferRecompute(SideEffectBehavior.Allow)]"
    std::vector<SourceEdit> edits;
    Applicability applicability = Applicability::safe;
    std::string condition; ///< of an unsafe fix: what has to hold, in words
    /// Its gradients are others than the original's, and as right: those of what a loop comes near
    /// to, for example. Where they differ, central differences decide.
    bool other_derivative = false;
    /// Edits under which the compiler would warn with `probe_code` if it knew better than the rule:
    /// a second opinion.
    std::vector<SourceEdit> probe = {};
    std::string probe_code = {};
};

/// What a rule saw.
struct Finding {
    std::string rule; ///< "prefer-recompute"
    Severity severity = Severity::note;
    Place place;
    std::string message;
    std::uint64_t bytes = 0;          ///< the compiler's number for it, 0 where there is none
    std::vector<Fix> fixes;           ///< alternatives: at most one is applied
    std::vector<std::string> why_not; ///< why a fix that one might expect is not offered, for --why
};

} // namespace slimgrad
