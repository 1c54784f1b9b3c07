#include "plugin/verify/gradient_comparison.h"

#include "plugin/verify/aliasing.h"
#include "plugin/verify/branch_coverage.h"
#include "plugin/verify/coverage.h"
#include "plugin/verify/make_plan.h"
#include "plugin/verify/tensor_layout.h"
#include "plugin/verify/thread_conflicts.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace slimgrad::verify {
namespace {

/// Which values the inputs were kept to; "" for the usual ones.
std::string describe(const DefaultInputs& inputs) {
    std::string text;
    if (!inputs.floats.normal())
        text += fmt::format(", floats in [{}, {}]", inputs.floats.minimum, inputs.floats.maximum);
    if (inputs.smallest_integer > 0)
        text += fmt::format(", integers from {}", inputs.smallest_integer);
    return text;
}

/// "gIn[3]", "gParticles[3].mass".
std::string scalar_name(const InputPlan& plan, const std::string& buffer, std::uint64_t index) {
    for (const BufferPlan& candidate : plan.buffers)
        if (candidate.name == buffer)
            return fmt::format("{}[{}]{}", buffer, index / candidate.slots.size(),
                               candidate.slots[index % candidate.slots.size()].name);
    return fmt::format("{}[{}]", buffer, index);
}

/// A buffer that the two plans have in different form, or of whose name one has two, so that they
/// could not be told apart; "" if there is none.
std::string unlike_buffer(const InputPlan& a, const InputPlan& b) {
    for (const BufferPlan& buffer : a.buffers) {
        const auto named = [&](const BufferPlan& other) { return other.name == buffer.name; };
        if (std::count_if(a.buffers.begin(), a.buffers.end(), named) > 1)
            return buffer.name;
        const auto other = std::find_if(b.buffers.begin(), b.buffers.end(), named);
        if (other == b.buffers.end())
            continue;
        // The machines pad structures differently.
        const bool padded_alike = a.machine != b.machine || other->stride == buffer.stride;
        if (!padded_alike || other->writable != buffer.writable ||
            other->slots.size() != buffer.slots.size())
            return buffer.name;
    }
    return "";
}

/// The names of all inputs, and whether the values of others depend on there being this one.
std::map<std::string, bool> input_names(const InputPlan& plan) {
    std::map<std::string, bool> names;
    const auto pairs_values = [](const std::vector<ScalarSlot>& slots) {
        return std::any_of(slots.begin(), slots.end(),
                           [](const ScalarSlot& slot) { return !slot.values.first.empty(); });
    };
    for (const BufferPlan& buffer : plan.buffers)
        names[buffer.name] = pairs_values(buffer.slots) || !buffer.exceptions.empty();
    for (const BlockPlan& block : plan.blocks)
        for (const ScalarSlot& slot : block.slots)
            names[slot.name] = !slot.values.first.empty();
    return names;
}

/// An input that only one variant has and that keeps them from seeing the same values: where each
/// has one the other lacks, one may be the other under a new name. "" if there is none.
std::string unshared_input(const InputPlan& a, const InputPlan& b) {
    const std::map<std::string, bool> left = input_names(a), right = input_names(b);
    std::string only[2];
    for (const auto& [name, pairs] : left)
        if (!right.contains(name)) {
            if (pairs)
                return name;
            only[0] = name;
        }
    for (const auto& [name, pairs] : right)
        if (!left.contains(name)) {
            if (pairs)
                return name;
            only[1] = name;
        }
    return only[1].empty() ? "" : only[0];
}

const Subscript& subscript_of(const KernelRun& run, const InstrumentedText& text) {
    return text.subscripts[run.subscript < text.subscripts.size() ? run.subscript : 0];
}

/// How many elements the buffer needs so that the index fits; 0 if no size would do.
std::uint64_t elements_needed(const KernelRun& run, const InputPlan& plan) {
    constexpr std::uint64_t widest_access =
        16; // of a byte-address buffer, whose count and index are bytes
    const auto buffer =
        std::find_if(plan.buffers.begin(), plan.buffers.end(),
                     [&](const BufferPlan& candidate) { return candidate.name == run.buffer; });
    if (buffer == plan.buffers.end())
        return 0;
    if (buffer->elements < usual_elements)
        return usual_elements;
    if (run.index > most_elements * buffer->stride)
        return 0;
    const bool in_bytes = run.count != buffer->elements;
    const std::uint64_t needed =
        in_bytes ? (run.index + widest_access) / buffer->stride : run.index + 1;
    std::uint64_t elements = buffer->elements;
    while (elements < needed)
        elements *= 4;
    return elements > buffer->elements && elements <= most_elements ? elements : 0;
}

} // namespace

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
        decide(Verdict::cannot_run, "the module holds code of the target language (__intrinsic_asm and the like), "
                                    "which slimgrad does not run");
        return std::move(result_);
    }
    const auto side = [&](const CpuVariant& variant, std::string_view name) {
        const std::string function = code_name(variant.reflection, result_.entry_point);
        return Side{&variant, name, function, instrument(variant.code, function, variant.machine), {}, {}, {}};
    };
    original_ = side(original, "original");
    rewritten_ = side(rewritten, "rewritten");
    step_began_ = std::chrono::steady_clock::now();
    for (const auto stage :
         {&GradientComparison::lay_out, &GradientComparison::compile,
          &GradientComparison::choose_inputs, &GradientComparison::run_both,
          &GradientComparison::sanitize, &GradientComparison::overlap,
          &GradientComparison::watch_threads, &GradientComparison::cover}) {
        if (const Result<void> done = (this->*stage)(); !done)
            return tl::unexpected(done.error());
        if (decided_)
            break;
    }
    result_.defaults = inputs_;
    result_.elements = elements_;
    result_.tensor_sizes = tensor_sizes_;
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
            decide(Verdict::cannot_run,
                   fmt::format("the two variants do not both have one buffer {} of this kind", name));
            return {};
        }
    if (const std::string name = unshared_input(original_.plan, rewritten_.plan); !name.empty())
        decide(Verdict::cannot_run,
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
            result_.code_rejected = true;
            decide(Verdict::cannot_run,
                   fmt::format("the C++ compiler rejects the {} kernel's code: {}", side->name,
                               slimgrad::to_string(side->library.rejection)),
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
    grow(original_.plan);
    if (original_.checked_run.end != KernelRun::End::done)
        decide_failure(original_, original_.checked_run);
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
        if (!note_larger(side))
            return {};
        grow(side.plan);
    }
}

bool GradientComparison::note_usual(const Side& side) {
    const KernelRun& run = side.checked_run;
    if (run.end != KernelRun::End::out_of_range || run.dimension)
        return false;
    for (const BufferPlan& buffer : side.plan.buffers)
        if (buffer.name == run.buffer && buffer.elements < usual_elements) {
            elements_[run.buffer] = usual_elements;
            return true;
        }
    return false;
}

bool GradientComparison::note_larger(const Side& side) {
    const KernelRun& run = side.checked_run;
    if (run.dimension) {
        // Twice as long each time: what walks along a tensor would ask for one more every time.
        const std::uint64_t needed = std::max(run.index + 1, 2 * run.count);
        InputPlan trial = side.plan;
        if (needed > most_elements ||
            !resize_tensor(trial, run.buffer, *run.dimension, static_cast<std::uint32_t>(needed)))
            return false;
        tensor_sizes_[{run.buffer, *run.dimension}] = static_cast<std::uint32_t>(needed);
        return true;
    }
    const std::uint64_t needed = elements_needed(run, side.plan);
    if (needed > 0)
        elements_[run.buffer] = needed;
    return needed > 0;
}

Result<void> GradientComparison::plan(Side& side) {
    const Machine machine = side.variant->machine;
    Result<InputPlan> made =
        make_plan({&side.variant->reflection, result_.entry_point, &options_, first_elements, inputs_,
                   &side.text.used_globals, machine,
                   machine == Machine::cuda ? cuda_use(side.variant->code) : CudaUse{}});
    if (!made) {
        decide(Verdict::cannot_run, made.error().message);
        return {};
    }
    side.plan = std::move(*made);
    result_.unused_ranges = side.plan.unused_ranges;
    grow(side.plan);
    return {};
}

void GradientComparison::grow(InputPlan& plan) const {
    for (BufferPlan& buffer : plan.buffers)
        if (const auto found = elements_.find(buffer.name); found != elements_.end())
            buffer.elements = std::max(buffer.elements, found->second);
    for (const auto& [dimension, size] : tensor_sizes_)
        resize_tensor(plan, dimension.first, dimension.second, size);
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
        if (!note_usual(rewritten_))
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
            Result<KernelRun> run = runner_.run(call(*side, side->library, false), side->plan,
                                                options_.limits);
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
               fmt::format("the {} kernel {}{}", side->name, run->failure, input(run->sample)),
               run->place);
        report(Step::sanitized, StepState::failed, result_.reason);
        return {};
    }
    report(Step::sanitized, StepState::passed, "");
    return {};
}

Result<void> GradientComparison::overlap() {
    const auto overlapping = [&](const Side& side) {
        InputPlan plan = side.plan;
        plan.overlapped = true;
        return plan;
    };
    const InputPlan original_plan = overlapping(original_);
    if (options_.noalias) {
        report(Step::aliasing, StepState::not_applicable, "noalias is promised");
        return {};
    }
    if (!overlaps(original_plan)) {
        report(Step::aliasing, StepState::not_applicable, "no two inputs may share memory");
        return {};
    }
    // The checked builds: what stays inside alone may not where buffers of indices overlap.
    const auto run = [&](const Side& side, const InputPlan& plan) {
        return runner_.run(call(side, side.library, false), plan, options_.limits);
    };
    const InputPlan rewritten_plan = overlapping(rewritten_);
    const Result<KernelRun> original = run(original_, original_plan);
    const Result<KernelRun> rewritten = run(rewritten_, rewritten_plan);
    if (!original || !rewritten)
        return tl::unexpected((original ? rewritten : original).error());
    if (original->end != KernelRun::End::done || !all_finite(*original, original_plan)) {
        report(Step::aliasing, StepState::not_applicable,
               "the original does not run where its inputs share memory");
        return {};
    }
    const Comparison shared =
        compare_runs(*original, original_plan, *rewritten, rewritten_plan, options_.tolerance);
    if (rewritten->end == KernelRun::End::done && !shared.difference) {
        report(Step::aliasing, StepState::passed, "");
        return {};
    }
    result_.differs_if_aliased = true;
    report(Step::aliasing, StepState::failed,
           shared.difference
               ? fmt::format("{} differs where inputs of one type share memory",
                             scalar_name(original_plan, shared.difference->buffer,
                                         shared.difference->element))
               : fmt::format("the rewritten kernel {} where inputs of one type share memory",
                             rewritten->failure.empty() ? "leaves a buffer" : rewritten->failure));
    return {};
}

Result<void> GradientComparison::watch_threads() {
    if (original_.variant->machine != Machine::cuda || rewritten_.variant->machine != Machine::cuda)
        return {};
    const bool alone = original_.variant == rewritten_.variant;
    const InputPlan before = plan_to_watch(original_.plan, original_.text);
    const InputPlan after = plan_to_watch(rewritten_.plan, rewritten_.text);
    const auto run = [&](const Side& side, const InputPlan& plan) {
        constexpr std::uint32_t most_samples = 4; // loops may make no trip in the first
        KernelRunner::Call watched = call(side, side.library, false);
        watched.samples = std::min(watched.samples, most_samples);
        watched.watched = true;
        return runner_.run_again(watched, plan, options_.limits);
    };
    const Result<KernelRun> rewritten = run(rewritten_, after);
    const Result<KernelRun> original = alone ? rewritten : run(original_, before);
    if (!original || !rewritten)
        return tl::unexpected((original ? rewritten : original).error());
    const WatchedRun watched{&*rewritten, &after, &rewritten_.text};
    const WatchedRun known{&*original, &before, &original_.text};
    if (const auto conflict = find_conflict(watched, alone ? nullptr : &known, alone)) {
        result_.conflict = (alone ? "" : "in the rewritten kernel ") + conflict->what +
                           input(conflict->sample);
        report(Step::threads, StepState::failed, result_.conflict);
        if (!alone) // of itself a kernel is as good as before: `check` decides
            decide(Verdict::unverified, result_.conflict, conflict->place);
    } else if (const auto both = find_conflict(watched, nullptr, false)) {
        report(Step::threads, StepState::not_applicable, (alone ? "" : "in both ") + both->what);
    } else if (!rewritten->all_watched) {
        report(Step::threads, StepState::not_run, "too many threads and too much memory to watch");
    } else {
        report(Step::threads, StepState::passed, "");
    }
    return {};
}

Result<void> GradientComparison::cover() {
    std::string reason;
    Place place;
    result_.not_finite = comparison_.not_finite.has_value();
    if (const auto& value = comparison_.not_finite)
        reason = fmt::format(
            "{} is not finite in the original{}; give its inputs ranges under [inputs]",
            scalar_name(original_.plan, value->buffer, value->element), input(value->sample));
    else if (const std::optional<CoverageGap> gap =
                 find_gap(options_.loops, original_.text.loops, original_.checked_run.heads)) {
        reason = gap->reason;
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
    if (loop && !(loop->input.empty() ? some_range : has_range(loop->input, options_.ranges))) {
        decide(Verdict::unverified,
               fmt::format("loop at {} assumes at most {} trips and would make more{}; give the "
                           "input that sets its trip count a range under [inputs]",
                           short_form(Place{loop->place.file, loop->place.line, 0}), *loop->bound,
                           input(run.sample)),
               loop->place);
        report(Step::coverage, StepState::failed, result_.reason);
        return {};
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
    decide_failure(original_, run);
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
    const bool is_original = &side == &original_;
    const Subscript& subscript = subscript_of(run, side.text);
    const std::string where = subscript.place.line ? " at " + short_form(subscript.place) : "";
    if (run.end == KernelRun::End::failed)
        // A run that takes too long is not known to be wrong.
        return decide(is_original || run.timed_out || run.unsupported ? Verdict::cannot_run
                                                                      : Verdict::rewritten_wrong,
                      fmt::format("the {} kernel {}{}{}", side.name, run.failure, where,
                                  input(run.sample)),
                      subscript.place);
    const auto index = static_cast<std::int64_t>(run.index); // a negative index became a large one
    if (subscript.checkpoint)
        result_.left_array = LeftCheckpointArray{index, run.count};
    if (subscript.checkpoint)
        return decide(
            is_original ? Verdict::original_wrong : Verdict::rewritten_wrong,
            fmt::format("the {} kernel indexes a checkpoint array of {} elements with {}{}{}",
                        side.name, run.count, index, where, input(run.sample)),
            subscript.place);
    const std::string name = !run.buffer.empty()      ? run.buffer
                             : subscript.name.empty() ? "an array"
                                                      : subscript.name;
    const std::string along =
        run.dimension ? fmt::format(" along dimension {}", *run.dimension) : "";
    decide(is_original ? Verdict::cannot_run : Verdict::rewritten_wrong,
           fmt::format("index out of range: {}[{}] of {} elements{}{}{}{}", name, index, run.count,
                       along, where, input(run.sample),
                       is_original ? "" : ", where the original stays inside"),
           subscript.place);
}

void GradientComparison::decide_comparison(const Comparison& comparison) {
    result_.bit_equal = comparison.bit_equal;
    result_.largest_error = comparison.largest_error;
    result_.difference = comparison.difference;
    result_.hidden_difference = comparison.hidden_difference;
    if (const auto& difference = comparison.difference)
        decide(Verdict::different,
               fmt::format("{} is {:.9g} in the original and {:.9g} in the rewritten kernel{}",
                           scalar_name(original_.plan, difference->buffer, difference->element),
                           difference->original, difference->rewritten,
                           input(difference->sample)));
    report(Step::equal, comparison.difference ? StepState::failed : StepState::passed,
           comparison.difference  ? result_.reason
           : comparison.bit_equal ? "bit-equal"
                                  : fmt::format("largest relative error {:.2g}",
                                                comparison.largest_error));
}

} // namespace slimgrad::verify
