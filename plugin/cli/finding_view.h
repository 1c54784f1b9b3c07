#pragma once

#include "plugin/trial/trial.h"

#include <string_view>
#include <vector>

namespace slimgrad {

/// What a finding comes down to for the user.
enum class FindingState {
    fixed,   ///< one of its fixes is part of the result: applied, or would be
    minor,   ///< it has a fix that improves a small figure only
    unsafe,  ///< it has a fix that needs consent
    open,    ///< nothing answers it
    no_gain, ///< a cost whose fixes were all tried and bring nothing: shown with --why only
};

/// A finding with what became of its fixes.
struct FindingView {
    Finding finding;
    FindingState state = FindingState::open;
    const TriedFix* chosen = nullptr;      ///< of fixed, minor, unsafe; points into the report
    std::vector<const TriedFix*> rejected; ///< all others that were tried

    /// The finding's own, but a cost that only a minor fix answers is a note.
    Severity severity() const;
    /// Whether it makes the exit code 1 as long as it is there: errors, and costs unless nothing is
    /// to be gained.
    bool counts() const;
};

/// The findings of one module, in the order of their places: those of the unchanged text, then
/// those that only appeared after a fix. A compiler that rejected, refused or did not survive the
/// module is a finding of the rule `compiler`, for which there is no page.
std::vector<FindingView> view_findings(const ModuleReport& report);

/// Whether a compiler did not get through the module, so that only what its text tells is known of
/// it.
bool compiler_failed(const ModuleReport& report);

/// Whether some fix could not be tried to its end, through no fault of its own: there may be more
/// to find.
bool is_incomplete(const ModuleReport& report);

/// Whether slangc rejected the module, with and without fixes: only its text was examined.
bool is_rejected(const ModuleReport& report);

/// "no effect", "gradient differs", ...
std::string_view name(Outcome outcome);
std::string_view name(FindingState state);

} // namespace slimgrad
