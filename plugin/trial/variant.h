#pragma once

#include "attributes/rule.h"
#include "plugin/cuda/nvcc.h"
#include "plugin/slang/compiler.h"
#include "plugin/trial/figures.h"
#include "plugin/trial/trial_options.h"
#include "plugin/trial/trial_pool.h"
#include "plugin/verify/module_verifier.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

/// One text of one module with all that has been found out about it.
struct Variant {
    FileTexts texts; ///< the files that differ from the disk's
    CompileResult cuda;
    std::optional<NvccResult> nvcc; ///< where Slang accepted it, once it is measured
    ModuleModel model;
    std::vector<Finding> findings;  ///< once it is measured
    std::string emitted_code_error; ///< what nvcc said of the emitted code
    Place emitted_code_place;

    /// How far it is known.
    enum class State { new_text, compiled, measured } state = State::new_text;

    bool measured() const { return nvcc && nvcc->succeeded(); }
    Figures figures() const;
};

/// Compiles, measures and verifies texts of one module; what was done once for a text is not done
/// again. Different variants may be worked on at a time by different threads; the rest is for one.
class VariantLab {
  public:
    VariantLab(TrialPool& pool, const TrialModule& module);

    /// The variant with these texts; those of files that the module does not read do not count.
    /// Lives as long as this.
    Variant& variant(const FileTexts& texts);

    /// Slang and the module model, unless it was done.
    Result<void> compile(Variant& variant, SlangCompiler& compiler) const;
    /// nvcc, and the rules, unless it was done. Only of what was compiled.
    Result<void> measure(Variant& variant) const;

    /// Has to be called, by one thread, with the first variant that was compiled.
    void remember_files(const Variant& variant);

    /// Compares all entry points that run a backward pass: one result for each.
    Result<std::vector<VerifyResult>> compare(const Variant& original, const Variant& rewritten,
                                              VerifyDepth depth);

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

    /// What the verification took when it was done.
    std::chrono::milliseconds verifying() const { return verifying_; }
    const TrialModule& module() const { return module_; }

  private:
    ModuleView view(const Variant& variant) const;
    CompileRequest request(const FileTexts& texts) const;
    Result<void> read_model(Variant& variant) const;
    RuleInput rule_input(const Variant& variant) const;
    void progress(const std::string& line) const;

    TrialPool& pool_;
    const TrialModule& module_;
    std::size_t worker_; ///< whose compiler and verifier are the module's
    ModuleVerifier module_verifier_;
    std::vector<std::string> files_; ///< that it reads, once known
    std::map<FileTexts, std::unique_ptr<Variant>> variants_;
    std::chrono::milliseconds verifying_{0};
};

/// One verdict for several: the first that is not equal speaks for all.
VerifyResult combined(std::vector<VerifyResult> results);

} // namespace slimgrad
