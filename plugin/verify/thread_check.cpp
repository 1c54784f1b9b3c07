#include "plugin/verify/thread_check.h"

#include "plugin/verify/cuda_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad::verify {
namespace {

Result<KernelRun> run_watched(KernelRunner& runner, const ThreadedKernel& kernel,
                              const InputPlan& plan, const ProcessLimits& limits) {
    constexpr std::uint32_t most_samples = 4; // loops may make no trip in the first
    KernelRunner::Call call = kernel.call;
    call.samples = std::min(call.samples, most_samples);
    call.watched = true;
    return runner.run_again(call, plan, limits);
}

ThreadCheck found(ThreadConflict conflict) {
    return {StepState::failed, conflict.what, std::move(conflict)};
}

/// Runs a kernel alone in the opposite order.
Result<ThreadCheck> turn_around(KernelRunner& runner, const ThreadedKernel& kernel,
                                const Comparison& comparison, const ProcessLimits& limits) {
    // Sums in another order round differently; what a missing barrier loses is much more.
    constexpr double tolerance = 1e-2;
    const CudaUse use = cuda_use(*kernel.code);
    // Where a thread's place in a list is its turn at a counter, the order may count.
    if (!use.shared_memory && use.atomics)
        return ThreadCheck{};
    InputPlan plan = *kernel.plan;
    plan.reversed = true;
    const Result<KernelRun> turned = runner.run(kernel.call, plan, limits);
    if (!turned)
        return tl::unexpected(turned.error());
    if (turned->end != KernelRun::End::done)
        return ThreadCheck{
            StepState::not_run,
            fmt::format("the kernel {} where its threads run in another order",
                        turned->failure.empty() ? "leaves a buffer" : turned->failure),
            {}};
    if (const auto& value = comparison.not_finite) {
        if (!use.shared_memory || !all_finite(*turned, plan))
            return ThreadCheck{};
        return found(
            {fmt::format("{} is not finite but where groupshared memory starts with zeros: "
                         "it is read before it is written, a barrier may be missing",
                         scalar_name(plan, value->buffer, value->element)),
             {},
             value->sample,
             false});
    }
    const Comparison orders = compare_runs(*kernel.run, *kernel.plan, *turned, plan, tolerance);
    if (!orders.difference)
        return ThreadCheck{};
    const Difference& difference = *orders.difference;
    return found({fmt::format("{} is {:.9g} or {:.9g}, by the order in which the threads run{}",
                              scalar_name(plan, difference.buffer, difference.element),
                              difference.original, difference.rewritten,
                              use.shared_memory
                                  ? ": a barrier is missing, or the order counts in which they "
                                    "get to an atomic function"
                                  : ": one reads what another one writes"),
                  {},
                  difference.sample,
                  false});
}

} // namespace

Result<ThreadCheck> check_threads(KernelRunner& runner, const ThreadedKernel& original,
                                  const ThreadedKernel& rewritten, bool alone,
                                  const Comparison& comparison, const ProcessLimits& limits) {
    const InputPlan before = plan_to_watch(*original.plan, *original.text);
    const InputPlan after = plan_to_watch(*rewritten.plan, *rewritten.text);
    const Result<KernelRun> watched_after = run_watched(runner, rewritten, after, limits);
    const Result<KernelRun> watched_before =
        alone ? watched_after : run_watched(runner, original, before, limits);
    if (!watched_before || !watched_after)
        return tl::unexpected((watched_before ? watched_after : watched_before).error());
    const WatchedRun watched{&*watched_after, &after, rewritten.text};
    const WatchedRun known{&*watched_before, &before, original.text};
    if (auto conflict = find_conflict(watched, alone ? nullptr : &known, alone)) {
        if (!alone)
            conflict->what = "in the rewritten kernel " + conflict->what;
        return found(std::move(*conflict));
    }
    if (const auto both = find_conflict(watched, nullptr, false))
        return ThreadCheck{
            StepState::not_applicable, (alone ? "" : "in both variants ") + both->what, {}};
    if (!watched_after->all_watched)
        return ThreadCheck{StepState::not_run, "too many threads and too much memory to watch", {}};
    return alone ? turn_around(runner, original, comparison, limits) : ThreadCheck{};
}

} // namespace slimgrad::verify
