#include "plugin/verify/group_rows.h"

#include <algorithm>
#include <array>
#include <utility>

namespace slimgrad::verify {

Result<bool> depends_on_place(KernelRunner& runner, KernelRunner::Call call, InputPlan plan,
                              std::size_t axis, bool adds, const ProcessLimits& limits) {
    constexpr std::uint32_t most_samples = 4; // loops may make no trip in the first
    call.samples = std::min(call.samples, most_samples);
    plan.groups = {1, 1, 1};
    plan.groups[axis] = 2;
    std::array<KernelRun, 2> runs;
    for (const std::uint32_t group : {0u, 1u}) {
        plan.only_group = {0, 0, 0};
        plan.only_group[axis] = group;
        Result<KernelRun> run = runner.run(call, plan, limits);
        if (!run)
            return tl::unexpected(run.error());
        runs[group] = std::move(*run);
    }
    if (runs[0].end != KernelRun::End::done) // nothing that would compare
        return false;
    if (runs[1].end != KernelRun::End::done)
        return true;
    return adds ? !same_changes(runs[0], runs[1]) : !same_places(runs[0], runs[1]);
}

} // namespace slimgrad::verify
