#pragma once

#include "plugin/verify/cpp_text.h"
#include "plugin/verify/input_plan.h"
#include "plugin/verify/kernel_run.h"
#include "rewriter/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace slimgrad::verify {

/// The inputs for a run whose threads are watched: one group or one thread where the kernel does
/// not look at its place, as more of them are not meant to be there.
InputPlan plan_to_watch(InputPlan plan, const InstrumentedText& text);

struct WatchedRun {
    const KernelRun* run = nullptr;
    const InputPlan* plan = nullptr;
    const InstrumentedText* text = nullptr;
};

/// Two threads that write one scalar in no order, for people to read.
struct ThreadConflict {
    std::string what; ///< "threads 0 and 1 both write gW[0] without ... (k.slang:12): ..."
    Place place;      ///< if the shader accesses the buffer on one line only
    std::uint32_t sample = 0;
    bool within_group = false; ///< else the kernel may be meant for one group
};

/// The first conflict of the run. `known`: not in a buffer in which that run has one, too; may be
/// null. `floats_only`: in a buffer that may hold gradients.
std::optional<ThreadConflict> find_conflict(const WatchedRun& watched, const WatchedRun* known,
                                            bool floats_only);

} // namespace slimgrad::verify
