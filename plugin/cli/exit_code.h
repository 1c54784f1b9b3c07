#pragma once

#include <algorithm>

namespace slimgrad {

/// What the program returns. Of several files the highest code counts, so that a run whose findings
/// may be incomplete is never mistaken for one that merely has findings.
enum class ExitCode {
    clean =
        0, ///< nothing to report, or all of it was applied; `verify`: same. Notes never change it
    findings =
        1, ///< findings are left; `fix --diff`: a diff was printed; `verify`: different or wrong
    usage =
        2, ///< the command line, a configuration file, or an input that is not there or is not text
    failed = 3,      ///< a compiler, or this program, failed: the module could not be examined
    cannot_tell = 4, ///< `verify` only: nothing differed, but the comparison could not show enough
};

inline ExitCode worst(ExitCode a, ExitCode b) {
    return std::max(a, b);
}

} // namespace slimgrad
