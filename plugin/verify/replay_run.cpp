#include "plugin/verify/replay_run.h"

#include "plugin/verify/captured_calls.h"
#include "plugin/verify/cpp_text.h"
#include "plugin/verify/cuda_text.h"
#include "plugin/verify/gradient_layout.h"
#include "plugin/verify/input_values.h"
#include "plugin/verify/make_plan.h"
#include "plugin/verify/tensor_layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace slimgrad::verify {
namespace {

BufferPlan* find_buffer(InputPlan& plan, const std::string& name) {
    const auto found = std::find_if(plan.buffers.begin(), plan.buffers.end(),
                                    [&](const BufferPlan& b) { return b.name == name; });
    return found == plan.buffers.end() ? nullptr : &*found;
}

void set_elements(InputPlan& plan, const std::string& name, std::uint64_t elements) {
    if (BufferPlan* buffer = find_buffer(plan, name))
        buffer->elements = elements;
}

/// The steps that a replay takes: 0, the positive ones, the negative ones.
std::vector<double> all_steps(Precision precision) {
    const auto sizes = difference_steps(precision);
    std::vector<double> result{0};
    result.insert(result.end(), sizes.begin(), sizes.end());
    for (const double size : sizes)
        result.push_back(-size);
    return result;
}

/// Why the run gives nothing, as what follows a subject; "" if it does.
std::string problem_of(const KernelRun& run) {
    if (run.end == KernelRun::End::out_of_range)
        return "leaves " + (run.buffer.empty() ? "an array" : run.buffer);
    return run.end == KernelRun::End::failed ? run.failure : "";
}

ReplayValues no_values(std::size_t steps) {
    ReplayValues result;
    result.differences.plus = result.differences.minus = std::vector<double>(steps);
    return result;
}

ReplayValues sum(const std::vector<ReplayValues>& calls, std::size_t steps) {
    ReplayValues result = no_values(steps);
    for (const ReplayValues& call : calls) {
        result.ran = result.ran || call.ran;
        result.backward += call.backward;
        result.forward += call.forward;
        result.dot_backward += call.dot_backward;
        result.backward_magnitude += call.backward_magnitude;
        result.forward_magnitude += call.forward_magnitude;
        result.buffers += call.buffers;
        result.differences.at_zero += call.differences.at_zero;
        result.differences.magnitude += call.differences.magnitude;
        for (std::size_t k = 0; k < steps; ++k) {
            result.differences.plus[k] += call.differences.plus[k];
            result.differences.minus[k] += call.differences.minus[k];
        }
    }
    return result;
}

void read_result(ReplayValues& value, std::uint64_t index, double number) {
    switch (index) {
    case ReplayResults::backward:
        value.backward = value.dot_backward = number; // w is v
        break;
    case ReplayResults::forward:
        value.forward = number;
        break;
    case ReplayResults::magnitude:
        value.differences.magnitude = number;
        break;
    case ReplayResults::backward_magnitude:
        value.backward_magnitude = number;
        break;
    case ReplayResults::forward_magnitude:
        value.forward_magnitude = number;
        break;
    case ReplayResults::calls:
        value.ran = true;
        break;
    default:
        break;
    }
}

} // namespace

ReplayRun::ReplayRun(CpuLibraries& libraries, KernelRunner& runner,
                     const DerivativeRequest& request, const ReplayModule& module,
                     Precision precision)
    : libraries_(libraries), runner_(runner), request_(request), module_(module),
      precision_(precision), first_(request.options->sample.value_or(0)),
      samples_(request.options->sample ? first_ + 1 : std::max(request.options->samples, 1u)),
      tensor_sizes_(request.tensor_sizes) {}

Result<InputPlan> ReplayRun::plan(const std::string& entry_point,
                                  const std::vector<std::string>& zero,
                                  const std::vector<GradientPair>& pairs) const {
    const Reflection& reflection = module_.compiled.reflection;
    const std::string& code = module_.compiled.code;
    const InstrumentedText text =
        instrument(code, code_name(reflection, entry_point), request_.machine);
    VerifyOptions options = *request_.options;
    for (const auto& [texture, width] : widths_)
        for (const char* dimension : {"[0]", "[1]"})
            options.ranges.emplace(texture + ".size" + dimension, InputRange{width, width});
    for (const GradientPair& pair : pairs)
        for (std::size_t i = 0; i < most_dimensions; ++i)
            if (const auto size = options.ranges.find(fmt::format("{}.size[{}]", pair.buffer, i));
                size != options.ranges.end())
                options.ranges.emplace(fmt::format("{}.size[{}]", pair.gradient, i), size->second);
    for (const std::string& name : zero)
        options.ranges[name] = {0, 0};
    PlanRequest request;
    request.reflection = &reflection;
    request.entry_point = entry_point;
    request.options = &options;
    request.elements = first_elements;
    request.defaults = request_.defaults;
    request.used_globals = &text.used_globals;
    request.machine = request_.machine;
    if (request_.machine == Machine::cuda)
        request.use = cuda_use(code);
    Result<InputPlan> plan = make_plan(request);
    if (!plan)
        return plan;
    resize_tensors(*plan, tensor_sizes_, options.ranges);
    for (const GradientPair& pair : pairs)
        even_shapes(*plan, pair);
    for (BlockPlan& block : plan->blocks)
        for (ScalarSlot& slot : block.slots)
            if (slot.name == "slimgrad_sample") {
                slot.values.first.clear();
                for (std::uint32_t i = 0; i < samples_; ++i)
                    slot.values.first.push_back(i);
            }
    return plan;
}

void ReplayRun::set_elements(InputPlan& plan) const {
    for (BufferPlan& buffer : plan.buffers)
        if (const auto larger = request_.elements.find(buffer.name);
            larger != request_.elements.end())
            buffer.elements = std::max(buffer.elements, larger->second);
}

Result<KernelRun> ReplayRun::run_growing(const std::string& entry_point, InputPlan& plan,
                                         std::uint32_t samples,
                                         const std::vector<GradientPair>& pairs) {
    const KernelRunner::Call call{library_, code_name(module_.compiled.reflection, entry_point),
                                  first_, samples};
    for (;;) {
        Result<KernelRun> run = runner_.run(call, plan, request_.options->limits);
        if (!run || run->end != KernelRun::End::out_of_range ||
            run->buffer.starts_with("slimgrad_"))
            return run;
        if (run->dimension) {
            if (!grow_tensor(*run, plan, pairs))
                return run;
            continue;
        }
        BufferPlan* buffer = find_buffer(plan, run->buffer);
        if (!buffer || buffer->elements >= most_elements_of(run->buffer))
            return run;
        const std::uint64_t larger = 4 * buffer->elements;
        buffer->elements = larger;
        for (const GradientPair& pair : pairs) // both halves of a pair are as large
            if (pair.buffer == run->buffer || pair.gradient == run->buffer)
                for (const std::string& half : {pair.buffer, pair.gradient})
                    if (BufferPlan* other = find_buffer(plan, half)) // a tensor may be larger
                        other->elements = std::max(other->elements, larger);
    }
}

bool ReplayRun::grow_tensor(const KernelRun& run, InputPlan& plan,
                            const std::vector<GradientPair>& pairs) {
    const std::uint64_t needed = std::max(run.index + 1, 2 * run.count);
    if (needed > most_elements)
        return false;
    std::vector<std::string> tensors{run.buffer};
    for (const GradientPair& pair : pairs)
        if (pair.buffer == run.buffer || pair.gradient == run.buffer)
            tensors = {pair.buffer, pair.gradient};
    for (const std::string& tensor : tensors) {
        if (!resize_tensor(plan, tensor, *run.dimension, static_cast<std::uint32_t>(needed))) {
            if (tensor == run.buffer)
                return false;
            continue; // a buffer
        }
        tensor_sizes_[{tensor, *run.dimension}] = static_cast<std::uint32_t>(needed);
    }
    return true;
}

std::uint64_t ReplayRun::most_elements_of(const std::string& buffer) const {
    const auto found = request_.elements.find(buffer);
    return std::max(usual_elements, found == request_.elements.end() ? 0 : found->second);
}

void ReplayRun::choose_widths(const std::vector<GradientPair>& pairs) {
    const auto is_texture = [&](const std::string& name) {
        const auto& globals = module_.compiled.reflection.globals;
        return std::any_of(globals.begin(), globals.end(), [&](const ParameterLayout& global) {
            return global.name == name && global.type.kind == TypeKind::texture;
        });
    };
    for (const GradientPair& pair : pairs)
        if (is_texture(pair.buffer) && !is_texture(pair.gradient))
            if (const auto width = width_in_index(*request_.model, pair.gradient))
                widths_[pair.buffer] = *width;
}

Result<std::string> ReplayRun::record(const std::vector<GradientPair>& pairs) {
    choose_widths(pairs);
    // The text is the same whichever entry point is looked at.
    const auto libraries = libraries_.compile(
        {instrument(module_.compiled.code, "", request_.machine).code}, request_.options->limits);
    if (!libraries)
        return tl::unexpected(libraries.error());
    library_ = libraries->front().path;
    if (library_.empty())
        return "the C++ compiler rejects it: " + libraries->front().rejection.message;
    Result<InputPlan> plan = this->plan(
        request_.entry_point, {"slimgrad_records", "slimgrad_results", "slimgrad_steps"}, pairs);
    if (!plan)
        return plan.error().message;
    set_elements(*plan);
    verify::set_elements(*plan, "slimgrad_results", 1);
    verify::set_elements(*plan, "slimgrad_steps", 1);
    verify::set_elements(*plan, "slimgrad_records", module_.record_words);
    Result<KernelRun> run = run_growing(request_.entry_point, *plan, samples_ - first_, pairs);
    if (!run)
        return tl::unexpected(run.error());
    if (const std::string problem = problem_of(*run); !problem.empty())
        return request_.entry_point + " " + problem;
    record_plan_ = std::move(*plan);
    recorded_ = std::move(*run);
    return "";
}

Result<Replay> ReplayRun::replay(std::size_t index, const std::vector<GradientPair>& all_pairs) {
    const ReplaySite& site = module_.sites[index];
    Replay result;
    const CapturedCalls captured(recorded_, record_plan_, site.base, site.words, samples_);
    for (std::uint32_t sample = first_; sample < samples_; ++sample)
        result.calls += captured.recorded(sample);
    for (std::uint32_t sample = first_; sample < samples_; ++sample)
        result.most_made = std::max(result.most_made, captured.made(sample));
    if (result.calls == 0) {
        result.problem =
            fmt::format("{} did not call it with the inputs that were drawn", request_.entry_point);
        return result;
    }
    std::vector<std::string> zero{"slimgrad_records", "slimgrad_results", "slimgrad_steps"};
    for (const GradientPair& pair : all_pairs)
        zero.push_back(pair.gradient);
    Result<InputPlan> plan = this->plan(site.entry_point, zero, all_pairs);
    if (!plan) {
        result.problem = plan.error().message;
        return result;
    }
    std::vector<GradientPair> pairs;
    for (const GradientPair& pair : all_pairs) {
        if (find_buffer(*plan, pair.buffer) && find_buffer(*plan, pair.gradient)) {
            pairs.push_back(pair);
            std::vector<std::string> sizes = sizes_of_order(*plan, pair.buffer);
            std::erase_if(sizes, [&](const std::string& size) {
                return request_.options->ranges.contains(size);
            });
            if (const std::string what = unknown_layout(*plan, pair);
                !what.empty() && !sizes.empty())
                result.unknown_layouts[pair.buffer] =
                    fmt::format("{} is not known; give `\"{}\" = WIDTH` under [inputs]", what,
                                fmt::join(sizes, "\" = HEIGHT`, `\""));
        } else if (find_buffer(*plan, pair.buffer)) {
            result.not_moved.push_back(pair.buffer);
        }
    }
    std::vector<double> packed = captured.packed();
    verify::set_elements(*plan, "slimgrad_records", packed.size());
    plan->fixed["slimgrad_records"] = std::move(packed);
    std::vector<const GradientPair*> moves;
    if (site.scalars > 0)
        moves.push_back(nullptr);
    for (const GradientPair& pair : pairs)
        moves.push_back(&pair);
    if (moves.empty())
        result.problem = site.site.function + " reads no buffer that moves";
    result.samples.resize(samples_);
    for (const GradientPair* moved : moves) {
        std::vector<std::vector<ReplayValues>> calls;
        const Precision precision = precision_of(*plan, moved);
        bool narrow = false;
        Result<std::string> problem =
            run_steps(site.entry_point, *plan, pairs, moved, precision, calls, narrow);
        if (!problem)
            return tl::unexpected(problem.error());
        std::vector<ReplayValues>& sums = moved ? result.buffers[moved->buffer] : result.samples;
        sums.clear();
        for (const std::vector<ReplayValues>& sample : calls)
            sums.push_back(sum(sample, difference_steps(precision).size()));
        if (narrow)
            result.unknown_layouts.emplace(
                moved->buffer, fmt::format("whether {} has as many dimensions as {} is not known",
                                           moved->gradient, moved->buffer));
        if (precision != precision_)
            result.moved_in_float.insert(moved->buffer);
        if (!moved)
            result.separate = std::move(calls);
        result.problem = std::move(*problem);
        if (!result.problem.empty())
            break;
    }
    return result;
}

Result<std::string> ReplayRun::run_steps(const std::string& entry_point, InputPlan& plan,
                                         const std::vector<GradientPair>& pairs,
                                         const GradientPair* moved, Precision precision,
                                         std::vector<std::vector<ReplayValues>>& calls,
                                         bool& narrow) {
    calls.resize(samples_);
    const std::vector<double> h = all_steps(precision);
    std::uint32_t samples = samples_ - first_;
    std::vector<double> given{static_cast<double>(h.size())};
    given.insert(given.end(), h.begin(), h.end());
    plan.rounds.clear();
    if (moved) { // buffers move with the host's step: then every step is a run of its own
        const auto share = static_cast<std::uint32_t>(most_stepped_samples / pairs.size());
        // Every step copies and moves all of a buffer.
        const bool large = most_elements_of(moved->buffer) > usual_elements;
        samples = std::min(samples, large ? fewest_stepped_samples
                                          : std::max(share, fewest_stepped_samples));
        given.resize(2);
        for (const double step : h) {
            InputRound& round = plan.rounds.emplace_back();
            round.fixed["slimgrad_steps"] = {-1, step};
            round.steps.push_back({moved->buffer, step});
        }
    }
    verify::set_elements(plan, "slimgrad_steps", given.size());
    verify::set_elements(plan, "slimgrad_results",
                         most_recorded_calls * (ReplayResults::values + given.size() - 1));
    plan.fixed["slimgrad_steps"] = std::move(given);
    const Result<KernelRun> run = run_growing(entry_point, plan, samples, pairs);
    if (!run)
        return tl::unexpected(run.error());
    if (const std::string problem = problem_of(*run); !problem.empty())
        return "alone it " + problem;
    narrow = moved && may_have_fewer_dimensions(plan, *run, moved->gradient);
    read(*run, plan, moved, difference_steps(precision).size(), calls);
    return "";
}

Precision ReplayRun::precision_of(const InputPlan& plan, const GradientPair* moved) const {
    const BufferPlan* buffer = nullptr;
    for (const BufferPlan& candidate : plan.buffers)
        if (moved && candidate.name == moved->buffer)
            buffer = &candidate;
    return buffer && std::any_of(
                         buffer->slots.begin(), buffer->slots.end(),
                         [](const ScalarSlot& slot) { return slot.kind != ScalarKind::float64; })
               ? Precision::float32
               : precision_;
}

void ReplayRun::read(const KernelRun& run, const InputPlan& plan, const GradientPair* moved,
                     std::size_t count, std::vector<std::vector<ReplayValues>>& calls) const {
    const std::uint64_t part = ReplayResults::values + plan.fixed.at("slimgrad_steps").size() - 1;
    const InputValues inputs(plan.seed);
    const auto call = [&](std::uint32_t sample, std::uint64_t index) -> ReplayValues& {
        while (calls[sample].size() <= index)
            calls[sample].push_back(no_values(count));
        return calls[sample][index];
    };
    for (const BufferChanges& changes : run.changes) {
        const BufferPlan& buffer = plan.buffers[changes.buffer];
        const std::size_t step = changes.round;
        if (buffer.name == "slimgrad_results")
            for (const Change& change : changes.changes) {
                const double number = value_of_bits(change.after, ScalarKind::float64);
                ReplayValues& value = call(changes.sample, change.index / part);
                const std::uint64_t at = change.index % part;
                if (at < ReplayResults::values) {
                    if (step == 0)
                        read_result(value, at, number);
                    continue;
                }
                const std::size_t k = step + at - ReplayResults::values;
                (k == 0       ? value.differences.at_zero
                 : k <= count ? value.differences.plus[k - 1]
                              : value.differences.minus[k - 1 - count]) = number;
            }
        if (step != 0 || !moved || moved->gradient != buffer.name)
            continue;
        // The buffer has the sum over all calls.
        ReplayValues& value = call(changes.sample, 0);
        const InputValues::Stream directions = inputs.directions(changes.sample, moved->buffer);
        for (const Change& change : changes.changes) {
            const ScalarKind kind = buffer.slots[change.index % buffer.slots.size()].kind;
            value.buffers +=
                (value_of_bits(change.after, kind) - value_of_bits(change.before, kind)) *
                inputs.direction(directions, change.index);
        }
    }
}

} // namespace slimgrad::verify
