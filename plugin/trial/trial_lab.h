#pragma once

#include "plugin/trial/trial_options.h"
#include "plugin/trial/trial_pool.h"
#include "plugin/trial/variant.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace slimgrad {

/// One text of one or several modules that are worked on together, since they share files.
struct Trial {
    FileTexts texts;                      ///< the files that differ from the disk's
    std::vector<const Variant*> variants; ///< by module
    std::vector<Finding> findings;        ///< of all modules, each once; once it is measured

    bool compiled() const; ///< Slang accepted every module
    bool measured() const; ///< nvcc, too
    /// Of all modules; kernels are named "file.slang: kernel" where there are several.
    Figures figures() const;
};

/// Compiles, measures and verifies texts of modules, on the pool's workers. What comes of it does
/// not depend on their number. Not thread-safe.
class TrialLab {
  public:
    TrialLab(TrialPool& pool, std::vector<TrialModule> modules);

    /// The trials with these texts, compiled by Slang, with their models. They live as long as
    /// this. Error: a tool cannot be run.
    Result<std::vector<const Trial*>> compile(const std::vector<FileTexts>& texts);
    /// Has nvcc measure what Slang accepts, and runs the rules.
    Result<void> measure(const std::vector<const Trial*>& trials);
    /// Both of one text.
    Result<const Trial*> examine(const FileTexts& texts);

    /// Compares the gradients of all modules.
    Result<VerifyResult> compare(const Trial& original, const Trial& rewritten,
                                 VerifyDepth depth = VerifyDepth::quick);
    /// Whether the gradients are right as they stand, by entry point.
    Result<std::vector<VerifyResult>> check(const Trial& trial);

    /// What all of this took when it was done, be it in an earlier run: the compilers' time, of
    /// what is compiled at a time over the number of workers, and the verification's.
    std::chrono::milliseconds spent() const;
    std::chrono::milliseconds verifying() const; ///< of that, the verification

    /// How many texts can be tried before that time, by what those before took; one for each worker
    /// at least.
    std::size_t trials_before(std::chrono::milliseconds limit) const;

    VariantLab& module(std::size_t index) { return *labs_[index]; }
    /// Whether the fix only takes away what an earlier one has put there.
    bool takes_back(const Trial& trial, const Fix& fix) const;

    /// Says what is being done.
    void progress(const std::string& line) const;
    unsigned workers() const { return pool_.workers(); }
    std::size_t modules() const { return labs_.size(); }

  private:
    Trial& trial(const FileTexts& texts);
    void remember_start(const Trial& first);
    /// What was compiled at a time took this.
    void add_batch(const std::vector<std::chrono::milliseconds>& durations);

    TrialPool& pool_;
    std::vector<TrialModule> modules_;
    std::vector<std::unique_ptr<VariantLab>> labs_;
    std::map<FileTexts, std::unique_ptr<Trial>> trials_;
    FileTexts at_start_; ///< of the files that the first trial leaves as they are
    std::chrono::milliseconds compiling_{0}; ///< the sum over all texts
    std::chrono::milliseconds batches_{0};   ///< as long as the workers took at least, by batch
    std::size_t measured_ = 0;               ///< texts of modules
};

} // namespace slimgrad
