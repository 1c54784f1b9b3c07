#include "plugin/verify/overlap_check.h"

#include "plugin/verify/aliasing.h"
#include "plugin/verify/comparison.h"

#include <fmt/format.h>

namespace slimgrad::verify {

Result<OverlapCheck> check_overlapped(KernelRunner& runner, const CheckedKernel& original,
                                      const CheckedKernel& rewritten, double tolerance,
                                      const ProcessLimits& limits) {
    InputPlan before = original.plan, after = rewritten.plan;
    before.overlapped = after.overlapped = true;
    if (!overlaps(before))
        return OverlapCheck{StepState::not_applicable, "no two inputs may share memory"};
    const Result<KernelRun> first = runner.run(original.call, before, limits);
    const Result<KernelRun> second = runner.run(rewritten.call, after, limits);
    if (!first || !second)
        return tl::unexpected((first ? second : first).error());
    if (first->end != KernelRun::End::done || !all_finite(*first, before))
        return OverlapCheck{StepState::not_applicable,
                            "the original does not run where its inputs share memory"};
    const Comparison shared = compare_runs(*first, before, *second, after, tolerance);
    if (second->end == KernelRun::End::done && !shared.difference)
        return OverlapCheck{};
    return OverlapCheck{
        StepState::failed,
        shared.difference
            ? fmt::format(
                  "{} differs where inputs of one type share memory",
                  scalar_name(before, shared.difference->buffer, shared.difference->element))
            : fmt::format("the rewritten kernel {} where inputs of one type share memory",
                          second->failure.empty() ? "leaves a buffer" : second->failure)};
}

} // namespace slimgrad::verify
