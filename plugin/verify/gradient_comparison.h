#pragma once

#include "plugin/verify/buffer_growth.h"
#include "plugin/verify/comparison.h"
#include "plugin/verify/cpp_text.h"
#include "plugin/verify/cpu_library.h"
#include "plugin/verify/kernel_run.h"
#include "plugin/verify/make_plan.h"
#include "plugin/verify/run_failure.h"
#include "plugin/verify/verify.h"

#include <chrono>
#include <string>
#include <string_view>

namespace slimgrad::verify {

/// One comparison of two variants: goes through its stages until one of them has the verdict.
///
///     lay out what both take                   a texture, different buffers: cannot run
///     compile both, with checks                the C++ compiler rejects one: cannot run
///     original, all samples                    checkpoint array left: original wrong; buffer left:
///                                              larger, again; results not finite: smaller inputs,
///                                              again
///     groups in y and z                        as many as in x where it makes a difference to them
///     rewritten                                array or buffer left, crash: rewritten wrong
///     compare what was written                 different
///     both in a build with sanitizers, if asked  reported: rewritten wrong, or unverified
///     both with buffers overlapped             noted: the verdict holds without aliasing
///     rewritten, its threads watched (CUDA)    they write one place, the original's do not:
///     unverified coverage                                 unverified, else equal
class GradientComparison {
  public:
    GradientComparison(CpuLibraries& libraries, KernelRunner& runner, std::string_view entry_point,
                       const VerifyOptions& options);

    Result<VerifyResult> run(const CpuVariant& original, const CpuVariant& rewritten);

  private:
    struct Side {
        const CpuVariant* variant = nullptr;
        Role role = Role::original;
        std::string function; ///< the entry point's name in the emitted text
        InstrumentedText text;
        CpuLibrary library; ///< with every index checked
        InputPlan plan;
        KernelRun checked_run;
    };
    Result<void> lay_out();
    Result<void> compile();
    Result<void> choose_inputs();
    Result<void> find_rows();
    Result<void> run_both();
    Result<void> sanitize();
    Result<void> overlap();
    Result<void> watch_threads();
    Result<void> cover();

    /// Lays out and draws the side's inputs.
    Result<void> plan(Side& side);
    /// Runs the checked build; buffers grow until it stays inside or no size would do.
    Result<void> run_checked(Side& side);
    Result<void> keep_one_sample();
    KernelRunner::Call call(const Side& side, const CpuLibrary& library, bool all_samples) const;
    std::string input(std::uint32_t sample);
    void decide(Verdict verdict, std::string reason, Place place = {});
    /// Says how the step that is running ended; one of a name counts.
    void report(Step step, StepState state, std::string detail);
    /// The original leaves a checkpoint array.
    Result<void> decide_checkpoint();
    void decide_failure(const Side& side, const KernelRun& run);
    void name_failure(const Side& side, const KernelRun& run);
    void decide_comparison(const Comparison& comparison);
    std::string inputs() const;

    CpuLibraries& libraries_;
    KernelRunner& runner_;
    const VerifyOptions& options_;
    Side original_, rewritten_;
    DefaultInputs inputs_;
    BufferGrowth growth_;
    VerifyResult result_;
    Comparison comparison_; ///< of the checked runs
    std::chrono::steady_clock::time_point step_began_;
    bool decided_ = false;
};

} // namespace slimgrad::verify
