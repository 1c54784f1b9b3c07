#pragma once

#include "plugin/slang/compiler.h"
#include "plugin/verify/cpp_text.h"
#include "plugin/verify/kernel_run.h"
#include "tests/fuzz/module_text.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::hunt {

/// How far a variant came.
enum class Fate {
    ran,
    rejected, ///< slangc has an error
    crashed_slangc,
    hung_slangc,   ///< or ran out of memory
    rejected_code, ///< g++ has one in what slangc emitted
    out_of_range,  ///< an index left its array or buffer
    crashed,
    hung,
};
std::string_view to_string(Fate fate);

struct VariantResult {
    Fate fate = Fate::ran;
    std::string message; ///< for all but ran
    /// By sample: what it wrote to gOut, as the one buffer of a run; for compare_runs.
    std::vector<verify::KernelRun> runs;
    /// The same as numbers: value, gradients of inputs, gradients of weights.
    std::vector<std::vector<double>> gradients;
};

/// A derivative by central differences at two step sizes.
struct Slope {
    double value = 0;       ///< extrapolated from both
    double uncertainty = 0; ///< how far the two are apart
};

struct TrialResult {
    std::vector<VariantResult> variants;
    /// By sample: of each input and each weight. Empty where no variant ran.
    std::vector<std::vector<Slope>> slopes;
    verify::InputPlan plan; ///< of `runs`: one buffer
};

/// Compiles and runs trials, many in one module. A module that does not compile is split until it
/// is known which variant it was; of one that fails when it runs, each thread is run by itself. Not
/// thread-safe, and used by the thread that made it.
class Laboratory {
  public:
    struct Options {
        std::string worker,
            runner; ///< slimgrad-slang and slimgrad-run; "" for those beside the program
        std::uint32_t samples = 4;
        std::uint64_t seed = 1; ///< of the inputs
    };

    explicit Laboratory(Options options);

    /// Error: a tool cannot be started.
    Result<std::vector<TrialResult>> run(const std::vector<Trial>& trials, Precision precision);

  private:
    struct Failure {
        Fate fate = Fate::ran;
        std::string message;
    };
    struct Execution {
        verify::KernelRun run;
        verify::InputPlan plan;
    };
    /// What ended a run; "ran" if nothing did.
    static Failure failure_of(const verify::KernelRun& run);
    /// Runs one thread of a module, or all_threads.
    Result<Execution> run_code(const CompileResult& compiled, const verify::InstrumentedText& text,
                               const verify::KernelRunner::Call& target,
                               const std::vector<Trial>& trials, int selected);
    /// All in one module. Nothing: it failed, `failure` says how.
    Result<std::optional<std::vector<TrialResult>>>
    run_module(const std::vector<Trial>& trials, Precision precision, Failure& failure);
    Result<std::vector<TrialResult>> run_variants(const Trial& trial, Precision precision);

    Options options_;
    SlangCompiler compiler_;
};

} // namespace slimgrad::hunt
