#pragma once

#include "attributes/rule.h"
#include "plugin/cuda/nvcc.h"
#include "plugin/slang/compiler.h"
#include "plugin/trial/figures.h"
#include "plugin/verify/verify.h"
#include "rewriter/source_edit.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

struct TrialOptions {
    std::vector<std::string> slang_arguments;
    NvccOptions nvcc;
    VerifyOptions verify;
    Promises promises;
    FileTexts overlay; ///< canonical path -> text that stands in for the disk's: fixes of earlier
                       ///< modules of a run
    bool check_gradients = true; ///< also say whether the gradients are right as they stand
    bool unsafe_fixes = false;   ///< also try fixes that hold only under a condition
    bool minor_fixes =
        false; ///< also apply fixes that improve neither spills nor local memory nor warps
    std::function<void(const std::string& line)>
        progress; ///< called before each slow step; may be empty
};

/// What became of one fix.
enum class Outcome {
    applied,       ///< better and verified: part of the result
    minor,         ///< better in a small figure only; applied with --minor
    needs_consent, ///< unsafe; applied with --unsafe-fixes
    no_effect,
    worse,
    does_not_compile, ///< with Slang, nvcc or g++
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
    std::optional<VerifyResult> verified; ///< the whole change against the original
};

/// Reads, compiles and measures one module, runs the rules, tries their fixes one at a time and the
/// kept ones together, and goes on with what is left until nothing more is kept. Writes nothing.
/// Not thread-safe: one per thread, with a compiler and a verifier of its own.
class TrialEngine {
  public:
    TrialEngine(SlangCompiler& compiler, Verifier& verifier, CudaToolkit toolkit,
                TrialOptions options);

    /// Report only: no trials. `changed` stays empty.
    Result<ModuleReport> examine(const std::string& file, const std::string& project_root);
    /// Error: the file cannot be read, or a tool cannot be run. A module that does not compile is a
    /// report.
    Result<ModuleReport> improve(const std::string& file, const std::string& project_root);

  private:
    SlangCompiler& compiler_;
    Verifier& verifier_;
    CudaToolkit toolkit_;
    TrialOptions options_;
};

} // namespace slimgrad
