#pragma once

#include "plugin/verify/cpu_library.h"
#include "plugin/verify/derivative_check.h"
#include "plugin/verify/difference_judge.h"
#include "plugin/verify/gradient_pairs.h"
#include "plugin/verify/kernel_run.h"
#include "plugin/verify/replay_module.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// Samples that are looked at where every step is a run of its own, if more are asked for: of all
/// buffers together, and at least of one.
constexpr std::uint32_t most_stepped_samples = 16, fewest_stepped_samples = 6;

/// What one sample of one site gave: sums over its calls.
struct ReplayValues {
    bool ran = false;
    double backward = 0; ///< <J' u, v> of the arguments
    double forward = 0;  ///< <u, J w> of the arguments
    double dot_backward = 0; ///< <J' u, w>
    double backward_magnitude = 0, forward_magnitude = 0; ///< the same terms without signs
    double buffers = 0; ///< <g, v> of the gradients that custom derivatives added into buffers
    DirectionalValues differences; ///< of the arguments and the paired buffers together
};

struct Replay {
    std::string problem; ///< why there are no values
    std::uint64_t calls = 0;           ///< recorded, of all samples
    std::uint64_t most_made = 0;       ///< calls of one sample, recorded or not
    std::vector<ReplayValues> samples; ///< by number, also those that did not run
    /// The same for paired buffers that move alone, while the arguments stay.
    std::map<std::string, std::vector<ReplayValues>> buffers;
    std::vector<std::string> not_moved; ///< buffers whose gradient's buffer the replay has not
};

/// Runs a replay module: first the kernel, which records what it passes, then each site.
class ReplayRun {
  public:
    ReplayRun(CpuLibraries& libraries, KernelRunner& runner, const DerivativeRequest& request,
              const ReplayModule& module, Precision precision);

    /// Compiles the module for the host and runs the kernel. Returns why that cannot be; "" if it
    /// was done. Error: a tool cannot be started.
    Result<std::string> record();

    /// Replays one site that has no problem: moves its arguments, then each paired buffer that f
    /// reads. Error: a tool cannot be started.
    Result<Replay> replay(std::size_t site, const std::vector<GradientPair>& pairs);

  private:
    Result<InputPlan> plan(const std::string& entry_point,
                           const std::vector<std::string>& zero) const;
    void set_elements(InputPlan& plan) const;
    /// Buffers that the kernel leaves grow, up to the usual size or what the comparison needed.
    Result<KernelRun> run_growing(const std::string& entry_point, InputPlan& plan,
                                  std::uint32_t samples, const std::vector<GradientPair>& pairs);
    std::uint64_t most_elements_of(const std::string& buffer) const;
    /// Moves the arguments, or the buffer of one of the pairs. Appends nothing where it fails:
    /// returns why.
    Result<std::string> run_steps(const std::string& entry_point, InputPlan& plan,
                                  const std::vector<GradientPair>& pairs,
                                  const GradientPair* moved, std::vector<ReplayValues>& result);
    /// A tensor grows for good, and so does the other one of its pair. False: it cannot.
    bool grow_tensor(const KernelRun& run, InputPlan& plan, const std::vector<GradientPair>& pairs);
    void read(const KernelRun& run, const InputPlan& plan, const GradientPair* moved,
              std::vector<ReplayValues>& result) const;

    CpuLibraries& libraries_;
    KernelRunner& runner_;
    const DerivativeRequest& request_;
    const ReplayModule& module_;
    Precision precision_;
    std::uint32_t first_, samples_; ///< samples_ counts from 0, also where only one is run
    std::string library_;
    InputPlan record_plan_;
    KernelRun recorded_;
};

} // namespace slimgrad::verify
    /// By tensor and dimension, of those that are larger than usual.
    std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> tensor_sizes_;
