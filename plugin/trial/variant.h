#pragma once

#include "attributes/rule.h"
#include "plugin/cuda/nvcc.h"
#include "plugin/slang/compiler.h"
#include "plugin/trial/figures.h"
#include "plugin/trial/trial.h"
#include "plugin/verify/module_verifier.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

/// One text of a module with all that has been found out about it.
struct Variant {
    FileTexts texts; ///< the files that differ from the disk's
    CompileResult cuda;
    std::optional<NvccResult> nvcc; ///< where Slang accepted it
    ModuleModel model;
    std::vector<Finding> findings;
    std::string emitted_code_error; ///< what nvcc said of the emitted code
    Place emitted_code_place;

    bool measured() const { return nvcc && nvcc->succeeded(); }
    Figures figures() const;
};

/// Compiles, measures and verifies texts of one module; what was done once for a text is not done
/// again.
class VariantLab {
  public:
    VariantLab(SlangCompiler& compiler, Verifier& verifier, const CudaToolkit& toolkit,
               const TrialOptions& options, std::string file, std::string project_root);

    /// Compiles and measures. The result lives as long as this.
    Result<const Variant*> examine(const FileTexts& texts);

    /// Whether the compiler warns with this code more often under `texts` than for `variant`.
    /// Compiles, does not measure.
    Result<bool> warns_more(const Variant& variant, const FileTexts& texts,
                            const std::string& code);

    /// How much a comparison looks at: `quick` runs the text for one machine, `whole` all that run
    /// here.
    enum class Depth { quick, whole };

    /// Compares all entry points that run a backward pass. The first that is not equal speaks for
    /// all.
    Result<VerifyResult> compare(const Variant& original, const Variant& rewritten,
                                 Depth depth = Depth::quick);

    /// Whether the gradients are right as they stand, by entry point.
    Result<std::vector<VerifyResult>> check(const Variant& variant);

    /// The same with `texts` as the original: compiled, not measured. Nothing where they do not
    /// compile.
    Result<std::optional<VerifyResult>> compare_with(const FileTexts& texts,
                                                     const Variant& rewritten);

    /// The variant's findings, also of what running it showed.
    std::vector<Finding> findings(const Variant& variant, std::vector<GradientFact> facts) const;

    /// Whether edits of this file are allowed: it lies under the project root or was named by the
    /// user.
    bool editable(const std::string& path) const;

  private:
    ModuleView view(const Variant& variant) const;
    CompileRequest request(const FileTexts& texts) const;
    Result<void> read_model(Variant& variant) const;
    RuleInput rule_input(const Variant& variant) const;
    Result<VerifyResult> compare(const ModuleView& original, const ModuleView& rewritten,
                                 Depth depth);
    void progress(const std::string& line) const;

    SlangCompiler& compiler_;
    const CudaToolkit& toolkit_;
    const TrialOptions& options_;
    std::string file_;
    std::string project_root_;
    ModuleVerifier module_verifier_;
    std::map<FileTexts, std::unique_ptr<Variant>> variants_;
};

} // namespace slimgrad
