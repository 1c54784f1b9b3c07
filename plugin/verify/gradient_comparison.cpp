#include "plugin/verify/gradient_comparison.h"

#include "plugin/verify/branch_coverage.h"
#include "plugin/verify/coverage.h"
#include "plugin/verify/free_inputs.h"
#include "plugin/verify/group_rows.h"
#include "plugin/verify/make_plan.h"
#include "plugin/verify/overlap_check.h"
#include "plugin/verify/plan_match.h"
#include "plugin/verify/run_failure.h"
#include "plugin/verify/thread_check.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <utility>

namespace slimgrad::verify {

GradientComparison::GradientComparison(CpuLibraries& libraries, KernelRunner& runner,
                                       std::string_view entry_point, const VerifyOptions& options)
    : libraries_(libraries), runner_(runner), options_(options) {
    result_.entry_point = entry_point;
    result_.samples = options.sample ? 1 : options.samples;
    result_.seed = options.seed;
}

Result<VerifyResult> GradientComparison::run(const CpuVariant& original,
                                             const CpuVariant& rewritten) {
    result_.cpp_branch = original.target_switch || rewritten.target_switch;
    if (original.target_code || rewritten.target_code) {
        decide(Verdict::cannot_run,
               "the module holds code of the target language (__intrinsic_asm and the like), "
               "which slimgrad does not run");
        return std::move(result_);
    }
    const auto side = [&](const CpuVariant& variant, Role role) {
        const std::string function = code_name(variant.reflection, result_.entry_point);
        return Side{&variant, role, function, instrument(variant.code, function, variant.machine),
                    {},       {},   {}};
    };
    original_ = side(original, Role::original);
    rewritten_ = side(rewritten, Role::rewritten);
    step_began_ = std::chrono::steady_clock::now();
    for (const auto stage : {&GradientComparison::lay_out, &GradientComparison::compile,
                             &GradientComparison::choose_inputs, &GradientComparison::find_rows,
                             &GradientComparison::run_both, &GradientComparison::sanitize,
                             &GradientComparison::overlap, &GradientComparison::watch_threads,
                             &GradientComparison::cover}) {
        if (const Result<void> done = (this->*stage)(); !done)
            return tl::unexpected(done.error());
        if (decided_)
            break;
    }
    result_.defaults = inputs_;
    result_.elements = growth_.elements;
    result_.tensor_sizes = growth_.tensor_sizes;
    return std::move(result_);
}

void GradientComparison::report(Step step, StepState state, std::string detail) {
    const auto now = std::chrono::steady_clock::now();
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(now - step_began_);
    step_began_ = now;
    result_.steps.push_back({step, state, std::move(detail), took});
}

Result<void> GradientComparison::lay_out() {
    for (Side* side : {&original_, &rewritten_})
        if (const Result<void> planned = plan(*side); !planned || decided_)
            return planned;
    for (const auto& [a, b] :
         {std::pair{&original_, &rewritten_}, std::pair{&rewritten_, &original_}})
        if (const std::string name = unlike_buffer(a->plan, b->plan); !name.empty()) {
            decide(
                Verdict::cannot_run,
                fmt::format("the two variants do not both have one buffer {} of this kind", name));
            return {};
        }
    const auto before = group_size(original_.variant->reflection, result_.entry_point);
    const auto after = group_size(rewritten_.variant->reflection, result_.entry_point);
    if (before != after) {
        decide(Verdict::cannot_run,
               fmt::format("their groups have {} and {} threads: what launches the kernel has to "
                           "change, too",
                           fmt::join(before, "x"), fmt::join(after, "x")));
        return {};
    }
    if (const std::string name = unshared_input(original_.plan, rewritten_.plan); !name.empty())
        decide(
            Verdict::cannot_run,
            fmt::format("only one of the two variants has an input {}: the other's may be the same "
                        "under another name",
                        name));
    return {};
}

Result<void> GradientComparison::compile() {
    const auto libraries =
        libraries_.compile({original_.text.code, rewritten_.text.code}, options_.limits);
    if (!libraries)
        return tl::unexpected(libraries.error());
    std::size_t next = 0;
    for (Side* side : {&original_, &rewritten_}) {
        side->library = (*libraries)[next++];
        if (side->library.path.empty() && !decided_) {
            result_.code_rejected = !side->library.accident;
            decide(Verdict::cannot_run,
                   fmt::format("the C++ compiler {} the {} kernel's code: {}",
                               side->library.accident ? "does not get through" : "rejects",
                               to_string(side->role), slimgrad::to_string(side->library.rejection)),
                   side->library.rejection.place);
        }
    }
    report(Step::compiles, decided_ ? StepState::failed : StepState::passed,
           decided_ ? result_.reason : "");
    return {};
}

Result<void> GradientComparison::choose_inputs() {
    const std::array<Distribution, 3> candidates{{{}, {-1, 1, {}}, {0, 1, {}}}};
    std::optional<Side> first;
    for (const Distribution& floats : candidates) {
        inputs_.floats = floats;
        if (const Result<void> done = run_checked(original_); !done || decided_)
            return done;
        const KernelRun& run = original_.checked_run;
        if (!first)
            first = original_;
        if (run.timed_out)
            break;
        if (run.end == KernelRun::End::failed && inputs_.smallest_integer == 0) {
            inputs_.smallest_integer = 1; // sizes and divisors are never 0 in earnest
            if (const Result<void> done = run_checked(original_); !done || decided_)
                return done;
        }
        if (run.end == KernelRun::End::out_of_range && subscript_of(run, original_.text).checkpoint)
            return decide_checkpoint();
        if (run.end == KernelRun::End::done && all_finite(run, original_.plan))
            return {};
    }
    // None is good: the first says best what is wrong.
    inputs_ = {};
    original_ = std::move(*first);
    growth_.apply(original_.plan, options_.ranges);
    if (original_.checked_run.end != KernelRun::End::done)
        decide_failure(original_, original_.checked_run);
    return {};
}

Result<void> GradientComparison::find_rows() {
    if (options_.threads == 1) // said to be meant for one group
        return {};
    const bool alone = original_.variant == rewritten_.variant;
    for (const Side* side : {&original_, &rewritten_}) {
        if (alone && side == &rewritten_)
            continue;
        const bool adds = side->variant->machine == Machine::cuda && use_of(*side->variant).atomics;
        InputPlan plan = side->plan;
        growth_.apply(plan, options_.ranges);
        for (const auto& [axis, groups] :
             {std::pair{1, &inputs_.rows}, std::pair{2, &inputs_.layers}}) {
            const Result<bool> depends = depends_on_place(
                runner_, call(*side, side->library, false), plan, axis, adds, options_.limits);
            if (!depends)
                return tl::unexpected(depends.error());
            if (*depends)
                *groups = options_.threads;
        }
    }
    if (inputs_.rows == 1 && inputs_.layers == 1)
        return {};
    Side one = original_;
    if (const Result<void> done = run_checked(original_); !done || decided_)
        return done;
    const KernelRun& run = original_.checked_run;
    if (run.end == KernelRun::End::done && all_finite(run, original_.plan))
        return {};
    inputs_.rows = inputs_.layers = 1; // it may be meant for that
    original_ = std::move(one);
    return {};
}

Result<void> GradientComparison::run_checked(Side& side) {
    if (const Result<void> planned = plan(side); !planned || decided_)
        return planned;
    for (;;) {
        Result<KernelRun> run =
            runner_.run_again(call(side, side.library, true), side.plan, options_.limits);
        if (!run)
            return tl::unexpected(run.error());
        side.checked_run = std::move(*run);
        if (side.checked_run.end != KernelRun::End::out_of_range)
            return {};
        if (!growth_.note_larger(side.checked_run, side.plan))
            return {};
        growth_.apply(side.plan, options_.ranges);
    }
}

Result<void> GradientComparison::plan(Side& side) {
    const Machine machine = side.variant->machine;
    Result<InputPlan> made =
        make_plan({&side.variant->reflection, result_.entry_point, &options_, first_elements,
                   inputs_, &side.text.used_globals, machine, use_of(*side.variant)});
    if (!made) {
        decide(Verdict::cannot_run, made.error().message);
        return {};
    }
    side.plan = std::move(*made);
    if (options_.checkpoint_trips)
        side.plan.checkpoint_trips = *options_.checkpoint_trips;
    result_.unused_ranges = side.plan.unused_ranges;
    growth_.apply(side.plan, options_.ranges);
    return {};
}

Result<void> GradientComparison::run_both() {
    for (;;) {
        if (const Result<void> planned = plan(rewritten_); !planned || decided_)
            return planned;
        // A run of its own also where both sides are one kernel: two runs may differ.
        Result<KernelRun> run = runner_.run_anew(call(rewritten_, rewritten_.library, true),
                                                 rewritten_.plan, options_.limits);
        if (!run)
            return tl::unexpected(run.error());
        rewritten_.checked_run = std::move(*run);
        if (!growth_.note_usual(rewritten_.checked_run, rewritten_.plan))
            break;
        if (const Result<void> done = run_checked(original_); !done || decided_)
            return done;
        if (original_.checked_run.end != KernelRun::End::done) {
            decide_failure(original_, original_.checked_run);
            return {};
        }
    }
    result_.rewritten_clean = rewritten_.checked_run.end == KernelRun::End::done;
    if (!result_.rewritten_clean) {
        decide_failure(rewritten_, rewritten_.checked_run);
        return {};
    }
    report(Step::checked, StepState::passed, fmt::format("every index inside on {}", inputs()));
    if (const Result<void> done = keep_one_sample(); !done)
        return done;
    comparison_ = compare_runs(original_.checked_run, original_.plan, rewritten_.checked_run,
                               rewritten_.plan, options_.tolerance);
    decide_comparison(comparison_);
    return {};
}

/// Leaves of both runs what the sample that was asked for changed.
Result<void> GradientComparison::keep_one_sample() {
    if (options_.sample)
        for (Side* side : {&original_, &rewritten_}) {
            Result<KernelRun> run =
                runner_.run(call(*side, side->library, false), side->plan, options_.limits);
            if (!run)
                return tl::unexpected(run.error());
            side->checked_run.changes = std::move(run->changes);
        }
    return {};
}

Result<void> GradientComparison::sanitize() {
    if (!options_.sanitize)
        return {};
    std::vector<std::string> texts;
    for (const Side* side : {&original_, &rewritten_})
        texts.push_back(library_text(side->variant->code, side->variant->machine));
    const auto libraries = libraries_.compile(texts, options_.limits, CpuBuild::sanitized);
    if (!libraries)
        return tl::unexpected(libraries.error());
    std::size_t next = 0;
    for (const Side* side : {&original_, &rewritten_}) {
        const CpuLibrary& library = (*libraries)[next++];
        if (library.path.empty()) {
            report(Step::sanitized, StepState::not_applicable,
                   "does not compile with sanitizers: " + slimgrad::to_string(library.rejection));
            return {};
        }
        KernelRunner::Call sanitized = call(*side, library, true);
        sanitized.build = CpuBuild::sanitized;
        const Result<KernelRun> run = runner_.run(sanitized, side->plan, options_.limits);
        if (!run)
            return tl::unexpected(run.error());
        if (run->end == KernelRun::End::done)
            continue;
        // Undefined behaviour of the original need not be its gradients' fault.
        decide(side == &original_ || run->timed_out ? Verdict::unverified
                                                    : Verdict::rewritten_wrong,
               fmt::format("the {} kernel {}{}", to_string(side->role), run->failure,
                           input(run->sample)),
               run->place);
        report(Step::sanitized, StepState::failed, result_.reason);
        return {};
    }
    report(Step::sanitized, StepState::passed, "");
    return {};
}

Result<void> GradientComparison::overlap() {
    if (options_.noalias) {
        report(Step::aliasing, StepState::not_applicable, "noalias is promised");
        return {};
    }
    const Result<OverlapCheck> check =
        check_overlapped(runner_, {call(original_, original_.library, false), original_.plan},
                         {call(rewritten_, rewritten_.library, false), rewritten_.plan},
                         options_.tolerance, options_.limits);
    if (!check)
        return tl::unexpected(check.error());
    result_.differs_if_aliased = check->state == StepState::failed;
    report(Step::aliasing, check->state, check->detail);
    return {};
}

Result<void> GradientComparison::watch_threads() {
    if (original_.variant->machine != Machine::cuda || rewritten_.variant->machine != Machine::cuda)
        return {};
    const bool alone = original_.variant == rewritten_.variant;
    const auto kernel = [&](const Side& side) {
        return ThreadedKernel{&side.variant->code, &side.plan, &side.text,
                              call(side, side.library, false), &side.checked_run};
    };
    const Result<ThreadCheck> check = check_threads(runner_, kernel(original_), kernel(rewritten_),
                                                    alone, comparison_, options_.limits);
    if (!check)
        return tl::unexpected(check.error());
    std::string detail = check->detail;
    if (const auto& conflict = check->conflict) {
        const bool other_integers = has_free_integers(original_.plan, options_.ranges);
        if (alone && conflict->within_group && other_integers)
            detail += "; give integers that set their places, a width for example, ranges under "
                      "[inputs]";
        detail += input(conflict->sample);
        result_.conflict = detail;
        result_.conflict_place = conflict->place;
        result_.conflict_certain = conflict->within_group && !other_integers;
        if (!alone) // of itself a kernel is as good as before: `check` decides
            decide(Verdict::unverified, detail, conflict->place);
    }
    report(Step::threads, check->state, std::move(detail));
    return {};
}

Result<void> GradientComparison::cover() {
    std::string reason;
    Place place;
    result_.not_finite = comparison_.not_finite.has_value();
    if (comparison_.not_finite && !result_.conflict.empty())
        reason = result_.conflict;
    else if (const auto& value = comparison_.not_finite)
        reason = fmt::format("{} is not finite in the original{}; give {} under [inputs]",
                             scalar_name(original_.plan, value->buffer, value->element),
                             input(value->sample),
                             wanted_ranges(free_inputs(original_.plan, options_.ranges)));
    else if (const std::optional<CoverageGap> gap =
                 find_gap(options_.loops, original_.text.loops, original_.checked_run.heads)) {
        reason = gap->reason + unknown_names(result_.unused_ranges);
        place = gap->place;
    } else if (const std::optional<CoverageGap> branch = find_branch_gap(
                   options_.branches, original_.text.branches, original_.checked_run.ways)) {
        reason = branch->reason;
        place = branch->place;
    } else if (const std::optional<CoverageGap> new_branch =
                   find_branch_gap(options_.rewritten_branches, rewritten_.text.branches,
                                   rewritten_.checked_run.ways)) {
        reason = new_branch->reason;
        place = new_branch->place;
    } else if (!comparison_.any_not_zero)
        reason = "the original writes nothing but zeros";
    report(Step::coverage, reason.empty() ? StepState::passed : StepState::failed, reason);
    if (!reason.empty()) {
        decide(Verdict::unverified, std::move(reason), std::move(place));
        return {};
    }
    decide(Verdict::equal, comparison_.bit_equal
                               ? fmt::format("bit-equal on {}", inputs())
                               : fmt::format("equal on {}, largest relative error {:.2g}", inputs(),
                                             comparison_.largest_error));
    return {};
}

std::string GradientComparison::inputs() const {
    return fmt::format("{} input{}{}", result_.samples, result_.samples == 1 ? "" : "s",
                       describe(inputs_));
}

KernelRunner::Call GradientComparison::call(const Side& side, const CpuLibrary& library,
                                            bool all_samples) const {
    if (options_.sample && !all_samples)
        return {library.path, side.function, *options_.sample, 1};
    return {library.path, side.function, 0, options_.samples};
}

Result<void> GradientComparison::decide_checkpoint() {
    const KernelRun& run = original_.checked_run;
    const LoopToCover* loop = beyond_bound(options_.loops, original_.text.loops, run.heads);
    const bool some_range = result_.unused_ranges.size() < options_.ranges.size();
    if (loop && is_promise(*loop)) {
        const bool known = !loop->input.empty() || loop->inputs;
        std::vector<std::string> free = loop->inputs.value_or(std::vector<std::string>{});
        if (!loop->input.empty())
            free = {input_key(loop->input)};
        std::erase_if(free, [&](const auto& name) { return !is_free(name, options_.ranges); });
        if (known ? !free.empty() : !free_inputs(original_.plan, options_.ranges).empty()) {
            decide(Verdict::unverified,
                   fmt::format("loop at {} assumes at most {} trips and would make more{}; give {} "
                               "under [inputs]",
                               short_form(Place{loop->place.file, loop->place.line, 0}),
                               *loop->bound, input(run.sample),
                               known ? wanted_ranges(fmt::format("{}", fmt::join(free, " and ")))
                                     : "the input that sets its trip count a range"),
                   loop->place);
            report(Step::coverage, StepState::failed, result_.reason);
            return {};
        }
    }
    if (options_.loops_are_all && !some_range &&
        runs_unknown_loop(options_.loops, original_.text.loops, run.heads)) {
        name_failure(original_, run);
        result_.left_array.reset();
        decide(Verdict::unverified,
               result_.reason + "; how often that loop may run is not known, give the inputs that "
                                "set its trip count ranges under [inputs]",
               result_.place);
        report(Step::coverage, StepState::failed, result_.reason);
        return {};
    }
    // The rewritten kernel may be the repair: say whether it stays inside, though there is nothing
    // to compare it with.
    if (const Result<void> done = run_checked(rewritten_); !done || decided_)
        return done;
    result_.rewritten_clean = rewritten_.checked_run.end == KernelRun::End::done;
    name_failure(original_, run);
    if (loop) {
        result_.reason += fmt::format("; the loop at {} makes more than its {} trips",
                                      short_form(Place{loop->place.file, loop->place.line, 0}),
                                      loop->allowed ? fmt::format("[MaxIters({})]", *loop->allowed)
                                                    : fmt::format("{}", *loop->bound));
        result_.place = loop->place; // that, rather than a line around it
    }
    report(Step::checked, StepState::failed, result_.reason);
    return {};
}

/// ` (input 3, seed 1)`.
std::string GradientComparison::input(std::uint32_t sample) {
    result_.sample = sample;
    return fmt::format(" (input {}, seed {})", sample, options_.seed);
}

void GradientComparison::decide(Verdict verdict, std::string reason, Place place) {
    decided_ = true;
    result_.verdict = verdict;
    result_.reason = std::move(reason);
    if (result_.cpp_branch)
        result_.reason += " (cpp branch)";
    result_.place = std::move(place);
}

void GradientComparison::decide_failure(const Side& side, const KernelRun& run) {
    name_failure(side, run);
    report(Step::checked, StepState::failed, result_.reason);
}

void GradientComparison::name_failure(const Side& side, const KernelRun& run) {
    RunFailure failure = describe_failure(run, side.text, side.role, input(run.sample));
    result_.left_array = failure.left_array;
    result_.timed_out = run.timed_out;
    decide(failure.verdict, std::move(failure.reason), std::move(failure.place));
}

void GradientComparison::decide_comparison(const Comparison& comparison) {
    result_.bit_equal = comparison.bit_equal;
    result_.largest_error = comparison.largest_error;
    result_.difference = comparison.difference;
    result_.hidden_difference = comparison.hidden_difference;
    if (auto& difference = result_.difference) {
        difference->scalar = scalar_name(original_.plan, difference->buffer, difference->element);
        decide(Verdict::different,
               fmt::format("{} is {:.9g} in the original and {:.9g} in the rewritten kernel{}",
                           difference->scalar, difference->original, difference->rewritten,
                           input(difference->sample)));
    }
    report(Step::equal, comparison.difference ? StepState::failed : StepState::passed,
           comparison.difference ? result_.reason
           : comparison.bit_equal
               ? "bit-equal"
               : fmt::format("largest relative error {:.2g}", comparison.largest_error));
}

} // namespace slimgrad::verify
