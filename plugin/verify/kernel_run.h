#pragma once

#include "plugin/process/process.h"
#include "plugin/verify/input_plan.h"
#include "rewriter/result.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// What a kernel changed in one buffer in one sample.
struct BufferChanges {
    std::uint32_t sample = 0;
    std::uint32_t buffer = 0; ///< index into the plan's buffers
    std::vector<Change> changes;
};

struct KernelRun {
    enum class End {
        done,
        out_of_range, ///< checked build only: see the fields below
        failed,       ///< crashed, hung, out of memory, unusable: see `failure`
    };
    End end = End::done;
    std::string failure;            ///< "crashed (signal 11, Segmentation fault)"
    bool timed_out = false;
    std::uint32_t sample = 0;       ///< the one that ran last
    std::uint32_t subscript = 0;    ///< index into InstrumentedText::subscripts
    std::string buffer;             ///< that was indexed; "" for an array
    std::uint64_t index = 0, count = 0; ///< in elements; in bytes for a byte-address buffer
    std::map<std::uint32_t, std::set<std::uint64_t>> heads; ///< by loop: how often runs of it passed its head
    std::vector<BufferChanges> changes;
};

struct KernelCall {
    std::string runner, library, entry_point;
    std::string scratch; ///< start of the names of its two scratch files: no two runs at a time may share it
    std::uint32_t first = 0, samples = 0;
};

/// Runs slimgrad-run as a child with limits. Error: it cannot be started, or cannot use what it is given.
Result<KernelRun> run_kernel(const KernelCall& call, const InputPlan& plan, const ProcessLimits& limits);

} // namespace slimgrad::verify
