#include "plugin/verify/tensor_replay.h"

#include "plugin/verify/cpp_text.h"
#include "plugin/verify/cuda_text.h"
#include "plugin/verify/gradient_comparison.h"
#include "plugin/verify/gradient_layout.h"
#include "plugin/verify/input_values.h"
#include "plugin/verify/tensor_layout.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <utility>

namespace slimgrad::verify {
namespace {

constexpr std::string_view kernel_prefix = "__kernel__", backward_suffix = "_bwd_diff";
constexpr std::uint64_t most_growths = 24; ///< of tensors that are too small

const BufferPlan* find_buffer(const InputPlan& plan, const std::string& name) {
    const auto found = std::find_if(plan.buffers.begin(), plan.buffers.end(),
                                    [&](const BufferPlan& b) { return b.name == name; });
    return found == plan.buffers.end() ? nullptr : &*found;
}

class TensorReplay {
  public:
    TensorReplay(SlangCompiler& compiler, CpuLibraries& libraries, KernelRunner& runner,
                 const DerivativeRequest& request, const ModuleVariant& variant,
                 Precision precision)
        : compiler_(compiler), libraries_(libraries), runner_(runner), request_(request),
          variant_(variant), precision_(precision), first_(request.options->sample.value_or(0)),
          samples_(request.options->sample
                       ? first_ + 1
                       : std::clamp(request.options->samples, 1u, most_stepped_samples)),
          values_(request.options->seed),
          forward_kernel_(std::string(kernel_prefix) + *differentiated_kernel(request.entry_point)),
          sizes_(request.tensor_sizes) {}

    Result<Replay> run() {
        if (const auto done = run_stages({&TensorReplay::compile, &TensorReplay::find_outputs});
            !done)
            return tl::unexpected(done.error());
        // A tensor that has to grow for a step draws other values from then on.
        for (std::optional<TensorSizes> sizes; result_.problem.empty() && sizes != sizes_;) {
            sizes = sizes_;
            clear_values();
            const auto done = run_stages({&TensorReplay::run_backward, &TensorReplay::run_primal,
                                          &TensorReplay::run_forward});
            if (!done)
                return tl::unexpected(done.error());
        }
        return std::move(result_);
    }

  private:
    using Stage = Result<void> (TensorReplay::*)();
    using Visit = std::function<void(const BufferPlan&, std::uint32_t sample, const Change&)>;

    /// One after the other, until there is a problem.
    Result<void> run_stages(std::initializer_list<Stage> stages) {
        for (const Stage stage : stages)
            if (const auto done = (this->*stage)(); !done || !result_.problem.empty())
                return done;
        return {};
    }

    void clear_values() {
        ReplayValues none;
        none.differences.plus = none.differences.minus =
            std::vector<double>(difference_steps(precision_).size());
        result_.samples.assign(samples_, none);
    }

    Result<void> compile() {
        CompileRequest request;
        request.file = variant_.file;
        request.arguments = variant_.slang_arguments;
        request.target = SlangTarget::cuda;
        request.overlay = variant_.overlay;
        request.project_root = variant_.root;
        request.checkpoint_report = false;
        Result<CompileResult> compiled = compiler_.compile(request);
        if (!compiled)
            return tl::unexpected(compiled.error());
        compiled_ = std::move(*compiled);
        if (!compiled_.succeeded()) {
            result_.problem = compiled_.detail;
            return {};
        }
        text_ = instrument(compiled_.code, request_.entry_point, Machine::cuda);
        const auto libraries = libraries_.compile({text_.code}, request_.options->limits);
        if (!libraries)
            return tl::unexpected(libraries.error());
        library_ = libraries->front().path;
        if (library_.empty())
            result_.problem =
                "the C++ compiler rejects it: " + libraries->front().rejection.message;
        return {};
    }

    bool has_kernel(const std::string& name) const {
        return std::any_of(compiled_.reflection.entry_points.begin(),
                           compiled_.reflection.entry_points.end(),
                           [&](const EntryPoint& entry) { return entry.name == name; });
    }

    /// Runs one of the kernels: with tensors of zeros, and with steps. Tensors that turn out to be
    /// too small grow for good.
    Result<void> run_kernel(const std::string& kernel, const std::set<std::string>& zero,
                            const std::vector<InputStep>& steps, const Visit& visit) {
        VerifyOptions options = *request_.options;
        // Gradients are drawn as by default: a range for the tensor is one for its values.
        std::erase_if(options.ranges,
                      [](const auto& range) { return range.first.ends_with(".diff"); });
        for (const std::string& name : zero)
            options.ranges[name] = {0, 0};
        PlanRequest request;
        request.reflection = &compiled_.reflection;
        request.entry_point = kernel;
        request.options = &options;
        request.elements = usual_elements;
        request.defaults = request_.defaults;
        request.used_globals = &text_.used_globals;
        request.machine = Machine::cuda;
        request.use = cuda_use(compiled_.code);
        for (std::uint64_t growths = 0;; ++growths) {
            Result<InputPlan> plan = make_plan(request);
            if (!plan) {
                result_.problem = plan.error().message;
                return {};
            }
            plan->steps = steps;
            resize_tensors(*plan, sizes_, options.ranges);
            const Result<KernelRun> run = runner_.run({library_, kernel, first_, samples_ - first_},
                                                      *plan, request_.options->limits);
            if (!run)
                return tl::unexpected(run.error());
            if (run->end == KernelRun::End::done) {
                for (const BufferChanges& changes : run->changes)
                    for (const Change& change : changes.changes)
                        visit(plan->buffers[changes.buffer], changes.sample, change);
                plan_ = std::move(*plan);
                return {};
            }
            const std::uint64_t needed = std::max(run->index + 1, 2 * run->count);
            if (run->end != KernelRun::End::out_of_range || !run->dimension ||
                growths == most_growths || needed > most_elements ||
                !resize_tensor(*plan, run->buffer, *run->dimension,
                               static_cast<std::uint32_t>(needed))) {
                result_.problem = run->end == KernelRun::End::out_of_range
                                      ? fmt::format("{} leaves {}", kernel,
                                                    run->buffer.empty() ? "an array" : run->buffer)
                                      : fmt::format("{} {}", kernel, run->failure);
                return {};
            }
            sizes_[{run->buffer, *run->dimension}] = static_cast<std::uint32_t>(needed);
        }
    }

    static double after(const BufferPlan& buffer, const Change& change) {
        return value_of_bits(change.after, buffer.slots[change.index % buffer.slots.size()].kind);
    }

    /// What is drawn for a scalar of a tensor's diff half: u of an output, w of an input.
    double drawn(const std::string& diff, std::uint32_t sample, std::uint64_t index) const {
        const BufferPlan& buffer = *find_buffer(first_plan_, diff);
        const ScalarSlot& slot = buffer.slots[index % buffer.slots.size()];
        const auto stream = values_.stream(sample, buffer.name + slot.name, 0);
        return value_of_bits(
            values_.draw(stream, index / buffer.slots.size(), slot.values, slot.kind), slot.kind);
    }

    Result<void> find_outputs() {
        for (const std::string& kernel : {forward_kernel_, request_.entry_point})
            if (!has_kernel(kernel)) {
                result_.problem = "there is no kernel " + kernel;
                return {};
            }
        std::set<std::string> written;
        // The backward kernel first: what it needs more of is there for all.
        if (const auto done =
                run_kernel(request_.entry_point, {}, {}, [](const auto&, auto, const auto&) {});
            !done || !result_.problem.empty())
            return done;
        if (const auto done = run_kernel(forward_kernel_, {}, {},
                                         [&](const BufferPlan& buffer, std::uint32_t,
                                             const Change&) { written.insert(buffer.name); });
            !done || !result_.problem.empty())
            return done;
        first_plan_ = std::move(plan_);
        for (const BufferPlan& buffer : first_plan_.buffers)
            if (find_buffer(first_plan_, gradient_tensor(buffer.name)))
                (written.contains(buffer.name) ? outputs_ : inputs_).insert(buffer.name);
        if (inputs_.empty() || outputs_.empty())
            result_.problem = fmt::format("{} has no differentiable tensor that it {}",
                                          forward_kernel_.substr(kernel_prefix.size()),
                                          inputs_.empty() ? "reads" : "writes");
        for (const std::set<std::string>* tensors : {&inputs_, &outputs_})
            for (const std::string& name : *tensors)
                if (!unknown_layout(first_plan_, {name, gradient_tensor(name), ""}).empty())
                    result_.problem = fmt::format("{} and {} are given different sizes", name,
                                                  gradient_tensor(name));
        result_.calls = samples_ - first_;
        return {};
    }

    static std::set<std::string> diff_of(const std::set<std::string>& tensors) {
        std::set<std::string> result;
        for (const std::string& name : tensors)
            result.insert(gradient_tensor(name));
        return result;
    }

    Result<void> run_backward() {
        const std::set<std::string> gradients = diff_of(inputs_);
        return run_kernel(
            request_.entry_point, gradients, {},
            [&](const BufferPlan& buffer, std::uint32_t sample, const Change& change) {
                if (!gradients.contains(buffer.name))
                    return;
                const std::string tensor = buffer.name.substr(0, buffer.name.rfind('.'));
                const double value = after(buffer, change);
                result_.samples[sample].backward +=
                    value * values_.direction(sample, tensor, change.index);
                const double term = value * drawn(buffer.name, sample, change.index);
                result_.samples[sample].dot_backward += term;
                result_.samples[sample].backward_magnitude += std::abs(term);
            });
    }

    Result<void> run_primal() {
        const auto sizes = difference_steps(precision_);
        for (std::size_t k = 0; k <= 2 * sizes.size(); ++k) {
            const double h = k == 0              ? 0
                             : k <= sizes.size() ? sizes[k - 1]
                                                 : -sizes[k - 1 - sizes.size()];
            std::vector<InputStep> steps;
            for (const std::string& name : inputs_)
                steps.push_back({name, h});
            std::vector<double> sums(samples_), magnitudes(samples_);
            const auto done = run_kernel(
                forward_kernel_, {}, steps,
                [&](const BufferPlan& buffer, std::uint32_t sample, const Change& change) {
                    if (!outputs_.contains(buffer.name))
                        return;
                    const double term = after(buffer, change) *
                                        drawn(gradient_tensor(buffer.name), sample, change.index);
                    sums[sample] += term;
                    magnitudes[sample] += std::abs(term);
                });
            if (!done || !result_.problem.empty())
                return done;
            for (std::uint32_t sample = first_; sample < samples_; ++sample) {
                ReplayValues& value = result_.samples[sample];
                value.ran = true;
                if (k == 0) {
                    value.differences.at_zero = sums[sample];
                    value.differences.magnitude = magnitudes[sample];
                } else if (k <= sizes.size()) {
                    value.differences.plus[k - 1] = sums[sample];
                } else {
                    value.differences.minus[k - 1 - sizes.size()] = sums[sample];
                }
            }
        }
        return {};
    }

    Result<void> run_forward() {
        const std::string kernel = forward_kernel_ + "_fwd_diff";
        if (!has_kernel(kernel))
            return {};
        const std::set<std::string> results = diff_of(outputs_);
        return run_kernel(
            kernel, results, {},
            [&](const BufferPlan& buffer, std::uint32_t sample, const Change& change) {
                if (!results.contains(buffer.name))
                    return;
                const double term =
                    after(buffer, change) * drawn(buffer.name, sample, change.index);
                result_.samples[sample].forward += term;
                result_.samples[sample].forward_magnitude += std::abs(term);
            });
    }

    SlangCompiler& compiler_;
    CpuLibraries& libraries_;
    KernelRunner& runner_;
    const DerivativeRequest& request_;
    const ModuleVariant& variant_;
    Precision precision_;
    std::uint32_t first_, samples_; ///< samples_ counts from 0, also where only one is run
    InputValues values_;
    std::string forward_kernel_; ///< f's own kernel
    CompileResult compiled_;
    InstrumentedText text_;
    std::string library_;
    InputPlan plan_;       ///< of the last run
    InputPlan first_plan_; ///< where nothing is zero
    TensorSizes sizes_;    ///< of tensors that grew
    std::set<std::string> inputs_, outputs_;
    Replay result_;
};

} // namespace

std::optional<std::string> differentiated_kernel(const std::string& entry_point) {
    if (!entry_point.starts_with(kernel_prefix) || !entry_point.ends_with(backward_suffix))
        return std::nullopt;
    return entry_point.substr(kernel_prefix.size(),
                              entry_point.size() - kernel_prefix.size() - backward_suffix.size());
}

Result<Replay> replay_tensors(SlangCompiler& compiler, CpuLibraries& libraries,
                              KernelRunner& runner, const DerivativeRequest& request,
                              const ModuleVariant& variant, Precision precision) {
    return TensorReplay(compiler, libraries, runner, request, variant, precision).run();
}

} // namespace slimgrad::verify
