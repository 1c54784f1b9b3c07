#pragma once

#include "attributes/finding.h"
#include "plugin/cuda/nvcc.h"
#include "plugin/slang/compiler.h"
#include "plugin/trial/figures.h"
#include "plugin/trial/trial_options.h"
#include "plugin/trial/trial_pool.h"
#include "plugin/trial/variant.h"
#include "plugin/verify/verify.h"
#include "rewriter/source_edit.h"

#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

/// What became of one fix.
enum class Outcome {
    applied,       ///< better and verified: part of the result
    minor,         ///< better in a small figure only; applied with --minor
    needs_consent, ///< unsafe; applied with --unsafe-fixes
    no_effect,
    worse,
    does_not_compile, ///< with Slang, nvcc or g++
    not_measured,     ///< somebody else killed a compiler each time: nothing is known of it
    new_warning,      ///< the compiler would warn where it did not before
    gradient_differs,
    unverified,   ///< the comparison could not show enough
    not_combined, ///< overlaps or does not combine with a better one
    withdrawn,    ///< after the search: it harms another module that uses the file, or could not be
                  ///< written
};

/// What was measured for one fix, alone, on top of what had been applied before it.
struct Evidence {
    Figures before;
    std::optional<Figures> after;         ///< where it compiled
    std::optional<VerifyResult> verified; ///< where it was worth verifying
};

struct TriedFix {
    Finding finding;
    Fix fix;
    Outcome outcome = Outcome::no_effect;
    std::string why; ///< one line: "no effect in ptxas", "gradient differs: gGrad[0] ..."
    Evidence evidence;
};

/// Everything that is known of one module after its trials.
struct ModuleReport {
    std::string file;
    CompileResult compiled;         ///< the unchanged text
    std::optional<NvccResult> cuda; ///< of the unchanged text, where it compiled
    Figures before;
    std::vector<Finding> findings; ///< of the unchanged text
    std::vector<TriedFix> tried;   ///< in the order they were tried
    FileTexts original;            ///< all files of the module
    FileTexts
        changed; ///< new texts of the files that the applied fixes change; empty: nothing to do
    std::optional<Figures> after;         ///< with all applied fixes
    std::vector<Finding> left;            ///< findings of the text with all applied fixes
    std::optional<VerifyResult> verified; ///< the whole change against the original
};

/// The module with the real paths of its file and its root, so that one file has one name
/// everywhere. Error: there is no such file.
Result<TrialModule> canonical(const TrialModule& module);

/// What the trials start from, for reports; `file` is how the user calls the module.
ModuleReport report_of(const Variant& variant, const std::string& file);

/// Reads, compiles and measures one module, and runs the rules. No trials: `changed` stays empty.
/// Error: the file cannot be read, or a tool cannot be run. A module that does not compile is a
/// report.
Result<ModuleReport> examine_module(TrialPool& pool, const TrialModule& module);

/// The same, then tries the rules' fixes one at a time and the kept ones together, and goes on with
/// what is left until nothing more is kept. Writes nothing.
Result<ModuleReport> improve_module(TrialPool& pool, const TrialModule& module);

} // namespace slimgrad
