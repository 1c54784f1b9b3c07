#pragma once

#include "plugin/verify/cpu_library.h"
#include "plugin/verify/derivative_check.h"
#include "plugin/verify/difference_judge.h"
#include "plugin/verify/gradient_pairs.h"
#include "plugin/verify/kernel_run.h"
#include "plugin/verify/replay_module.h"
#include "plugin/verify/tensor_layout.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slimgrad::verify {

/// Samples that are looked at where every step is a run of its own, if more are asked for: of all
/// buffers together, and at least of one.
constexpr std::uint32_t most_stepped_samples = 16, fewest_stepped_samples = 6;

/// What one sample of one site gave: of one call, or sums over its calls.
struct ReplayValues {
    bool ran = false;
    double backward = 0;                                  ///< <J' u, v> of the arguments
    double forward = 0;                                   ///< <u, J w> of the arguments
    double dot_backward = 0;                              ///< <J' u, w>
    double backward_magnitude = 0, forward_magnitude = 0; ///< the same terms without signs
    double buffers = 0; ///< <g, v> of the gradients that custom derivatives added into buffers
    DirectionalValues differences; ///< of the arguments and the paired buffers together
};

struct Replay {
    std::string problem;                             ///< why there are no values
    std::uint64_t calls = 0;                         ///< recorded, of all samples
    std::uint64_t most_made = 0;                     ///< calls of one sample, recorded or not
    std::vector<ReplayValues> samples;               ///< by number, also those that did not run
    std::vector<std::vector<ReplayValues>> separate; ///< `samples` call by call
    /// The same for paired buffers that move alone, while the arguments stay.
    std::map<std::string, std::vector<ReplayValues>> buffers;
    /// Those of them that take the steps for 32 bits although the rest is computed in 64.
    std::set<std::string> moved_in_float;
    /// What is not known of the gradients of some of them, and the cure: a mismatch may come of it.
    std::map<std::string, std::string> unknown_layouts;
    std::vector<std::string> not_moved; ///< buffers whose gradient's buffer the replay has not
};

/// Runs a replay module: first the kernel, which records what it passes, then each site.
class ReplayRun {
  public:
    ReplayRun(CpuLibraries& libraries, KernelRunner& runner, const DerivativeRequest& request,
              const ReplayModule& module, Precision precision);

    /// Compiles the module for the host and runs the kernel. Returns why that cannot be; "" if it
    /// was done. `pairs`: that replays will move. Error: a tool cannot be started.
    Result<std::string> record(const std::vector<GradientPair>& pairs);

    /// What the kernel wrote, and on which inputs.
    const KernelRun& recorded() const { return recorded_; }
    const InputPlan& record_plan() const { return record_plan_; }

    /// Replays one site that has no problem: moves its arguments, then each paired buffer that f
    /// reads. Error: a tool cannot be started.
    Result<Replay> replay(std::size_t site, const std::vector<GradientPair>& pairs);

  private:
    /// The tensors of a pair have one shape in it.
    Result<InputPlan> plan(const std::string& entry_point, const std::vector<std::string>& zero,
                           const std::vector<GradientPair>& pairs) const;
    void set_elements(InputPlan& plan) const;
    /// Textures get the width that the indices of their gradients are made with.
    void choose_widths(const std::vector<GradientPair>& pairs);
    /// Buffers that the kernel leaves grow, up to the usual size or what the comparison needed.
    Result<KernelRun> run_growing(const std::string& entry_point, InputPlan& plan,
                                  std::uint32_t samples, const std::vector<GradientPair>& pairs);
    /// A tensor grows for good, and so does the other one of its pair. False: it cannot.
    bool grow_tensor(const KernelRun& run, InputPlan& plan, const std::vector<GradientPair>& pairs);
    std::uint64_t most_elements_of(const std::string& buffer) const;
    /// Moves the arguments, or the buffer of one of the pairs. Appends nothing where it fails:
    /// returns why. `narrow`: the gradient of that buffer may have fewer dimensions than it has.
    Result<std::string> run_steps(const std::string& entry_point, InputPlan& plan,
                                  const std::vector<GradientPair>& pairs, const GradientPair* moved,
                                  Precision precision,
                                  std::vector<std::vector<ReplayValues>>& calls, bool& narrow);
    /// Of the steps that move the buffer, or the arguments: texels have 32 bits in any text.
    Precision precision_of(const InputPlan& plan, const GradientPair* moved) const;
    void read(const KernelRun& run, const InputPlan& plan, const GradientPair* moved,
              std::size_t steps, std::vector<std::vector<ReplayValues>>& calls) const;

    CpuLibraries& libraries_;
    KernelRunner& runner_;
    const DerivativeRequest& request_;
    const ReplayModule& module_;
    Precision precision_;
    std::uint32_t first_, samples_;        ///< samples_ counts from 0, also where only one is run
    TensorSizes tensor_sizes_;             ///< of those that are larger than usual
    std::map<std::string, double> widths_; ///< of textures, where their own does not fit
    std::string library_;
    InputPlan record_plan_;
    KernelRun recorded_;
};

} // namespace slimgrad::verify
