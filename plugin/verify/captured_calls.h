#pragma once

#include "plugin/verify/kernel_run.h"
#include "plugin/verify/replay_text.h"

#include <cstdint>
#include <vector>

namespace slimgrad::verify {

/// The arguments that a kernel passed to one bwd_diff(f), by sample.
class CapturedCalls {
  public:
    /// Reads them from what the run wrote to slimgrad_records from `base` on.
    CapturedCalls(const KernelRun& run, const InputPlan& plan, std::uint64_t base,
                  std::uint64_t words_per_call, std::uint32_t samples);

    /// Calls that the kernel made, recorded or not.
    std::uint64_t made(std::uint32_t sample) const { return made_[sample]; }
    std::uint64_t recorded(std::uint32_t sample) const;

    /// slimgrad_records for the replay: where each sample's calls begin, then the calls.
    std::vector<double> packed() const;

  private:
    std::uint64_t words_per_call_;
    std::vector<std::uint64_t> made_;
    std::vector<std::vector<std::uint32_t>> words_;
};

} // namespace slimgrad::verify
