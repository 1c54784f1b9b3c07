#pragma once

#include "attributes/rule.h"
#include "plugin/cuda/nvcc.h"
#include "plugin/slang/compiler.h"
#include "plugin/trial/figures.h"
#include "plugin/trial/trial.h"
#include "plugin/verify/verify.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace slimgrad {

/// One text of a module with all that has been found out about it.
struct Variant {
    FileTexts texts;                   ///< the files that differ from the disk's
    CompileResult cuda;
    std::optional<NvccResult> nvcc;    ///< where Slang accepted it
    std::optional<CompileResult> cpp;  ///< once it was asked for
    ModuleModel model;
    std::vector<Finding> findings;
    std::string emitted_code_error;    ///< what nvcc said of the emitted code

    bool measured() const { return nvcc && nvcc->succeeded(); }
    Figures figures() const;
};

/// Compiles, measures and verifies texts of one module; what was done once for a text is not done again.
class VariantLab {
  public:
    VariantLab(SlangCompiler& compiler, Verifier& verifier, const CudaToolkit& toolkit, const TrialOptions& options,
               std::string file, std::string project_root);

    /// Compiles and measures. The result lives as long as this.
    Result<const Variant*> examine(const FileTexts& texts);

    /// Whether the compiler warns with this code more often under `texts` than for `variant`. Compiles, does not measure.
    Result<bool> warns_more(const Variant& variant, const FileTexts& texts, const std::string& code);

    /// Compares all entry points that run a backward pass, on the CPU.
    Result<VerifyResult> compare(const Variant& original, const Variant& rewritten);

    /// Whether edits of this file are allowed: it lies under the project root or was named by the user.
    bool editable(const std::string& path) const;

  private:
    Result<const CompileResult*> compile_cpp(const Variant& variant);
    CompileRequest request(const FileTexts& texts, SlangTarget target) const;
    Result<void> read_model(Variant& variant) const;
    void progress(const std::string& line) const;

    SlangCompiler& compiler_;
    Verifier& verifier_;
    const CudaToolkit& toolkit_;
    const TrialOptions& options_;
    std::string file_;
    std::string project_root_;
    std::map<FileTexts, std::unique_ptr<Variant>> variants_;
};

} // namespace slimgrad
