#include "plugin/verify/derivative_check.h"

#include "attributes/custom_derivatives.h"
#include "attributes/effects.h"
#include "plugin/verify/captured_calls.h"
#include "plugin/verify/cpp_text.h"
#include "plugin/verify/derivative_sites.h"
#include "plugin/verify/difference_judge.h"
#include "plugin/verify/gradient_comparison.h"
#include "plugin/verify/input_values.h"
#include "plugin/verify/replay_module.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace slimgrad::verify {
namespace {

/// What one sample of one site gave.
struct SampleValues {
    bool ran = false;
    double backward = 0, forward = 0;
    double backward_magnitude = 0, forward_magnitude = 0;
    double buffers = 0; ///< of the gradients that custom derivatives added into buffers
    DirectionalValues differences;
};

/// Why f's gradients cannot be compared with differences of f: it does more than to return a
/// function of its arguments. "" if they can.
std::string side_effect(const ModuleModel& model, const EffectAnalysis& effects,
                        const std::string& function) {
    const std::string name = function.substr(0, function.find('<'));
    for (const Index index : model.find_functions(name.substr(name.find_last_of(".:") + 1))) {
        const Effects what = effects.of_function(index);
        if (!what.writes.empty())
            return fmt::format("{} writes {}", function, what.writes.begin()->first.name);
        if (!what.impure.empty())
            return fmt::format("{} {}", function, what.impure.begin()->first);
        for (const auto& [root, site] : what.reads)
            if (const GlobalVariable* global = model.find_global(root.name);
                global && global->kind == GlobalKind::groupshared)
                return fmt::format("{} reads {}, which threads share", function, root.name);
    }
    return "";
}

/// A function that f reaches and that has a backward derivative of its own and no forward one; ""
/// if there is none.
std::string without_forward_partner(const ModuleModel& model, const EffectAnalysis& effects,
                                    const std::string& function) {
    const CustomDerivatives& custom = effects.tracer().custom_derivatives();
    const std::string name = function.substr(0, function.find('<'));
    std::set<Index> reached;
    for (const Index index : model.find_functions(name.substr(name.find_last_of(".:") + 1)))
        reached.merge(effects.reachable(index, false));
    for (const Index index : reached) {
        const Function& primal = model.functions[index];
        bool backward = primal.has_attribute("BackwardDerivative"),
             forward = primal.has_attribute("ForwardDerivative");
        for (const Index derivative : custom.derivatives(index)) {
            const Function& f = model.functions[derivative];
            backward = backward || f.has_attribute("BackwardDerivativeOf") ||
                       f.name.starts_with("bwd_diff(");
            forward = forward || f.has_attribute("ForwardDerivativeOf") ||
                      f.name.starts_with("fwd_diff(");
        }
        if (backward && !forward)
            return primal.name;
    }
    return "";
}

std::string counted(std::uint64_t n, std::string_view noun) {
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

class DerivativeChecker {
  public:
    DerivativeChecker(SlangCompiler& compiler, CpuLibraries& libraries, KernelRunner& runner,
                      const DerivativeRequest& request)
        : compiler_(compiler), libraries_(libraries), runner_(runner), request_(request),
          options_(*request.options),
          first_(options_.sample.value_or(0)),
          samples_(options_.sample ? first_ + 1 : std::max(options_.samples, 1u)) {}

    Result<std::vector<DifferentiatedCall>> run() {
        const ModuleModel& model = *request_.model;
        std::vector<DerivativeSite> sites = find_derivative_sites(model, request_.entry_point);
        const EffectAnalysis effects(model);
        for (DerivativeSite& site : sites) {
            if (site.problem.empty())
                site.problem = side_effect(model, effects, site.function);
            DifferentiatedCall& call = calls_.emplace_back();
            call.function = site.function;
            call.place = model.place(site.callee);
            call.dot_product.step = Step::dot_product;
            call.differences.step = Step::differences;
            if (const std::string custom =
                    without_forward_partner(model, effects, site.function);
                !custom.empty())
                not_applicable(call.dot_product,
                               fmt::format("{} has a backward derivative only", custom));
        }
        if (sites.empty())
            return std::move(calls_);
        if (const auto done = check(*request_.variant, model, Precision::float32, sites); !done)
            return tl::unexpected(done.error());
        return std::move(calls_);
    }

  private:
    static void not_applicable(StepReport& step, std::string why) {
        if (step.state == StepState::not_run) {
            step.state = StepState::not_applicable;
            step.detail = std::move(why);
        }
    }

    static void not_applicable(DifferentiatedCall& call, const std::string& why) {
        not_applicable(call.dot_product, why);
        not_applicable(call.differences, why);
    }

    void all_not_applicable(const std::string& why) {
        for (DifferentiatedCall& call : calls_)
            not_applicable(call, why);
    }

    Result<void> check(const ModuleVariant& variant, const ModuleModel& model,
                       Precision precision, const std::vector<DerivativeSite>& sites) {
        precision_ = precision;
        const ReplayModuleRequest request{&variant, &model, request_.entry_point,
                                          SlangTarget::cpp};
        Result<ReplayModule> module = compile_replay_module(compiler_, request, sites);
        if (!module)
            return tl::unexpected(module.error());
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            if (!module->sites[i].problem.empty())
                not_applicable(calls_[i], module->sites[i].problem);
            if (!module->sites[i].forward_problem.empty())
                not_applicable(calls_[i].dot_product, module->sites[i].forward_problem);
        }
        if (!module->can_run()) {
            all_not_applicable(module->compiled.detail);
            return {};
        }
        const auto libraries = libraries_.compile({module->compiled.code}, options_.limits);
        if (!libraries)
            return tl::unexpected(libraries.error());
        if (libraries->front().path.empty()) {
            all_not_applicable(libraries->front().rejection.message);
            return {};
        }
        library_ = libraries->front().path;
        const auto recorded = record(*module);
        if (!recorded)
            return tl::unexpected(recorded.error());
        for (std::size_t i = 0; i < calls_.size(); ++i)
            if (module->sites[i].problem.empty() && recorded_plan_)
                if (const auto done = replay(*module, i, *recorded); !done)
                    return tl::unexpected(done.error());
        return {};
    }

    /// The plan of one entry point of the module; the reason why there is none otherwise.
    Result<InputPlan> plan(const ReplayModule& module, const std::string& entry_point,
                           const std::vector<std::string>& zero) const {
        const Reflection& reflection = module.compiled.reflection;
        const InstrumentedText text =
            instrument(module.compiled.code, code_name(reflection, entry_point));
        VerifyOptions options = options_;
        for (const std::string& name : zero)
            options.ranges[name] = {0, 0};
        PlanRequest request;
        request.reflection = &reflection;
        request.entry_point = entry_point;
        request.options = &options;
        request.elements = first_elements;
        request.defaults = request_.defaults;
        request.used_globals = &text.used_globals;
        Result<InputPlan> plan = make_plan(request);
        if (!plan)
            return plan;
        for (BufferPlan& buffer : plan->buffers)
            if (const auto larger = request_.elements.find(buffer.name);
                larger != request_.elements.end())
                buffer.elements = std::max(buffer.elements, larger->second);
        for (BlockPlan& block : plan->blocks)
            for (ScalarSlot& slot : block.slots)
                if (slot.name == "slimgrad_sample") {
                    slot.values.first.clear();
                    for (std::uint32_t i = 0; i < samples_; ++i)
                        slot.values.first.push_back(i);
                }
        return plan;
    }

    static BufferPlan* find_buffer(InputPlan& plan, const std::string& name) {
        const auto found = std::find_if(plan.buffers.begin(), plan.buffers.end(),
                                        [&](const BufferPlan& b) { return b.name == name; });
        return found == plan.buffers.end() ? nullptr : &*found;
    }

    Result<KernelRun> run_entry(const ReplayModule& module, const std::string& entry_point,
                                const InputPlan& plan) {
        const KernelRunner::Call call{library_,
                                      code_name(module.compiled.reflection, entry_point), first_,
                                      samples_ - first_};
        return runner_.run(call, plan, options_.limits);
    }

    /// Runs the kernel, which records what it passes to its bwd_diff calls.
    Result<KernelRun> record(const ReplayModule& module) {
        Result<InputPlan> plan = this->plan(
            module, request_.entry_point, {"slimgrad_records", "slimgrad_results"});
        if (!plan) {
            all_not_applicable(plan.error().message);
            return KernelRun{};
        }
        for (const char* name : {"slimgrad_results", "slimgrad_steps"})
            if (BufferPlan* buffer = find_buffer(*plan, name))
                buffer->elements = 1;
        if (BufferPlan* records = find_buffer(*plan, "slimgrad_records"))
            records->elements = module.record_words;
        Result<KernelRun> run = run_entry(module, request_.entry_point, *plan);
        if (!run)
            return run;
        if (run->end != KernelRun::End::done) {
            all_not_applicable(fmt::format("{} {}", request_.entry_point, run->failure));
            return run;
        }
        recorded_plan_ = std::move(*plan);
        return run;
    }

    /// The steps that a replay takes: 0, the positive ones, the negative ones.
    std::vector<double> steps() const {
        std::vector<double> result{0};
        const auto sizes = difference_steps(precision_);
        result.insert(result.end(), sizes.begin(), sizes.end());
        for (const double size : sizes)
            result.push_back(-size);
        return result;
    }

    Result<void> replay(const ReplayModule& module, std::size_t index, const KernelRun& recorded) {
        const ReplaySite& site = module.sites[index];
        DifferentiatedCall& call = calls_[index];
        const CapturedCalls captured(recorded, *recorded_plan_, site.base, site.words, samples_);
        std::uint64_t made = 0;
        for (std::uint32_t sample = first_; sample < samples_; ++sample)
            made += captured.recorded(sample);
        if (made == 0) {
            not_applicable(call, fmt::format("{} did not call it with the inputs that were drawn",
                                             request_.entry_point));
            return {};
        }
        if (site.half && precision_ == Precision::float32) {
            not_applicable(call.differences, "half precision is too coarse for differences");
            not_applicable(call.dot_product, "half precision is too coarse to compare");
            return {};
        }

        const std::vector<double> h = steps();
        std::vector<std::string> zero{"slimgrad_records", "slimgrad_results", "slimgrad_steps"};
        for (const auto& [buffer, gradient] : options_.gradients)
            zero.push_back(gradient);
        Result<InputPlan> plan = this->plan(module, site.entry_point, zero);
        if (!plan) {
            not_applicable(call, plan.error().message);
            return {};
        }
        std::vector<double> packed = captured.packed();
        if (BufferPlan* records = find_buffer(*plan, "slimgrad_records"))
            records->elements = packed.size();
        plan->fixed["slimgrad_records"] = std::move(packed);
        std::vector<std::pair<std::string, std::string>> pairs;
        for (const auto& pair : options_.gradients)
            if (find_buffer(*plan, pair.first) && find_buffer(*plan, pair.second))
                pairs.push_back(pair);

        std::vector<SampleValues> values(samples_);
        for (SampleValues& value : values)
            value.differences.plus = value.differences.minus =
                std::vector<double>(difference_steps(precision_).size());
        // Buffers move with the host's step: then every step is a run of its own.
        const std::size_t per_run = pairs.empty() ? h.size() : 1;
        for (std::size_t first = 0; first < h.size(); first += per_run) {
            std::vector<double> given{static_cast<double>(per_run)};
            given.insert(given.end(), h.begin() + static_cast<std::ptrdiff_t>(first),
                         h.begin() + static_cast<std::ptrdiff_t>(first + per_run));
            if (BufferPlan* buffer = find_buffer(*plan, "slimgrad_steps"))
                buffer->elements = given.size();
            if (BufferPlan* buffer = find_buffer(*plan, "slimgrad_results"))
                buffer->elements = ReplayResults::values + per_run;
            plan->fixed["slimgrad_steps"] = std::move(given);
            plan->steps.clear();
            for (const auto& [buffer, gradient] : pairs)
                plan->steps.push_back({buffer, h[first]});
            Result<KernelRun> run = run_entry(module, site.entry_point, *plan);
            if (!run)
                return tl::unexpected(run.error());
            if (run->end != KernelRun::End::done) {
                not_applicable(call, fmt::format("a run of {} alone {}", site.site.function,
                                                 run->failure));
                return {};
            }
            read(*run, *plan, pairs, first, values);
        }
        judge_dot_product(call, values);
        judge_differences_of(call, values, made);
        return {};
    }

    /// Takes what one run wrote; `step` is the first of its steps.
    void read(const KernelRun& run, const InputPlan& plan,
              const std::vector<std::pair<std::string, std::string>>& pairs, std::size_t step,
              std::vector<SampleValues>& values) const {
        const std::size_t count = difference_steps(precision_).size();
        const InputValues inputs(plan.seed);
        for (const BufferChanges& changes : run.changes) {
            const BufferPlan& buffer = plan.buffers[changes.buffer];
            SampleValues& value = values[changes.sample];
            if (buffer.name == "slimgrad_results") {
                for (const Change& change : changes.changes) {
                    const double number = value_of_bits(change.after, ScalarKind::float64);
                    if (change.index < ReplayResults::values) {
                        if (step == 0)
                            *field(value, change.index) = number;
                        continue;
                    }
                    const std::size_t k = step + change.index - ReplayResults::values;
                    if (k == 0)
                        value.differences.at_zero = number;
                    else if (k <= count)
                        value.differences.plus[k - 1] = number;
                    else
                        value.differences.minus[k - 1 - count] = number;
                    value.ran = true;
                }
            }
            if (step != 0)
                continue;
            for (const auto& [moved, gradient] : pairs) {
                if (gradient != buffer.name)
                    continue;
                for (const Change& change : changes.changes) {
                    const ScalarKind kind =
                        buffer.slots[change.index % buffer.slots.size()].kind;
                    value.buffers += (value_of_bits(change.after, kind) -
                                      value_of_bits(change.before, kind)) *
                                     inputs.direction(changes.sample, moved, change.index);
                }
            }
        }
    }

    static double* field(SampleValues& value, std::uint64_t index) {
        static thread_local double unused;
        switch (index) {
        case ReplayResults::backward:
            return &value.backward;
        case ReplayResults::forward:
            return &value.forward;
        case ReplayResults::magnitude:
            return &value.differences.magnitude;
        case ReplayResults::backward_magnitude:
            return &value.backward_magnitude;
        case ReplayResults::forward_magnitude:
            return &value.forward_magnitude;
        case ReplayResults::calls:
            value.ran = true;
            return &unused;
        default:
            return &unused;
        }
    }

    /// Both sides are exact up to rounding, so few samples decide. A kink on which a sample sits
    /// exactly may have two gradients: one sample alone decides nothing among many.
    void judge_dot_product(DifferentiatedCall& call, const std::vector<SampleValues>& values) {
        StepReport& step = call.dot_product;
        if (step.state != StepState::not_run)
            return;
        const double tolerance = precision_ == Precision::float64 ? 1e-7 : 1e-2;
        std::uint32_t compared = 0, different = 0;
        const SampleValues* shown = nullptr;
        bool any = false;
        for (std::uint32_t i = first_; i < samples_; ++i) {
            const SampleValues& value = values[i];
            if (!value.ran || !std::isfinite(value.forward) || !std::isfinite(value.backward))
                continue;
            ++compared;
            any = any || value.forward != 0 || value.backward != 0;
            const double scale = std::max(value.forward_magnitude, value.backward_magnitude);
            if (std::abs(value.forward - value.backward) <= tolerance * scale)
                continue;
            if (!shown)
                shown = &value;
            ++different;
        }
        if (compared == 0)
            return not_applicable(step, "no input gave finite values");
        if (!any)
            return not_applicable(step, "all gradients are zero");
        if (different == 0) {
            step.state = StepState::passed;
            step.detail = counted(compared, "input");
        } else if (different >= std::min(compared, 2u)) {
            step.state = StepState::failed;
            step.detail = fmt::format("bwd_diff gives {:.6g}, fwd_diff {:.6g}: {} of {} inputs",
                                      shown->backward, shown->forward, different, compared);
        } else {
            not_applicable(step, fmt::format("1 of {} inputs differs, which a kink can be the "
                                             "cause of",
                                             compared));
        }
    }

    void judge_differences_of(DifferentiatedCall& call, const std::vector<SampleValues>& values,
                              std::uint64_t made) {
        StepReport& step = call.differences;
        std::vector<DifferenceJudgement> judgements;
        std::vector<std::uint32_t> samples;
        for (std::uint32_t i = first_; i < samples_; ++i) {
            const SampleValues& value = values[i];
            if (!value.ran)
                continue;
            judgements.push_back(judge_differences(
                value.differences, value.backward + value.buffers, precision_));
            samples.push_back(i);
        }
        if (judgements.empty())
            return not_applicable(step, "no input gave values");
        const DifferenceSummary summary = summarize_differences(judgements);
        call.samples = summary.agreeing + summary.mismatching;
        call.kinks = summary.kinks;
        call.mismatches = summary.mismatching;
        call.sample = samples[summary.sample];
        call.backward = judgements[summary.sample].gradient;
        call.central_difference = judgements[summary.sample].central_difference;
        call.forward = values[call.sample].forward;
        const std::string_view precision =
            precision_ == Precision::float64 ? "in double" : "in float";
        switch (summary.outcome) {
        case DifferenceSummary::Outcome::right:
            step.state = StepState::passed;
            step.detail = fmt::format("{} ({}, {})", summary.reason, counted(made, "call"),
                                      precision);
            break;
        case DifferenceSummary::Outcome::wrong:
            step.state = StepState::failed;
            step.detail = fmt::format("{} ({})", summary.reason, precision);
            break;
        case DifferenceSummary::Outcome::cannot_tell:
            not_applicable(step, fmt::format("{} ({})", summary.reason, precision));
            break;
        }
    }

    SlangCompiler& compiler_;
    CpuLibraries& libraries_;
    KernelRunner& runner_;
    const DerivativeRequest& request_;
    const VerifyOptions& options_;
    std::uint32_t first_, samples_; ///< samples_ counts from 0, also where only one is checked
    Precision precision_ = Precision::float32;
    std::string library_;
    std::optional<InputPlan> recorded_plan_;
    std::vector<DifferentiatedCall> calls_;
};

} // namespace

Result<std::vector<DifferentiatedCall>> check_derivatives(SlangCompiler& compiler,
                                                          CpuLibraries& libraries,
                                                          KernelRunner& runner,
                                                          const DerivativeRequest& request) {
    return DerivativeChecker(compiler, libraries, runner, request).run();
}

} // namespace slimgrad::verify
