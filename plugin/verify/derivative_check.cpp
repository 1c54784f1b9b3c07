#include "plugin/verify/derivative_check.h"

#include "attributes/effects.h"
#include "plugin/verify/cut_paths.h"
#include "plugin/verify/derivative_facts.h"
#include "plugin/verify/derivative_sites.h"
#include "plugin/verify/difference_judge.h"
#include "plugin/verify/double_text.h"
#include "plugin/verify/gradient_pairs.h"
#include "plugin/verify/replay_module.h"
#include "plugin/verify/replay_run.h"
#include "plugin/verify/tensor_replay.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace slimgrad::verify {
namespace {

/// Of the cuts in one function that are taken away to see whether a mismatch goes with them.
constexpr std::size_t most_cuts = 12;
constexpr std::uint32_t samples_to_explain = 8;

std::string counted(std::uint64_t n, std::string_view noun) {
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

void not_applicable(StepReport& step, std::string why) {
    if (step.state == StepState::not_run) {
        step.state = StepState::not_applicable;
        step.detail = std::move(why);
    }
}

void not_applicable(DifferentiatedCall& call, const std::string& why) {
    not_applicable(call.dot_product, why);
    not_applicable(call.differences, why);
}

/// The model of a variant of the module that `model` is of.
ModuleModel model_of(const ModuleVariant& variant, const ModuleModel& model) {
    std::vector<SourceFile> files;
    for (const SourceFile& file : model.files) {
        const auto changed = variant.overlay.find(file.path());
        files.emplace_back(file.path(),
                           changed == variant.overlay.end() ? file.text() : changed->second);
    }
    return build_module_model(std::move(files), macro_definitions(variant.slang_arguments));
}

/// Both sides are exact up to rounding, so few samples decide. On a kink they may take different
/// sides: one sample alone decides nothing among many.
void judge_dot_product(DifferentiatedCall& call, const std::vector<ReplayValues>& samples,
                       Precision precision) {
    StepReport& step = call.dot_product;
    if (step.state != StepState::not_run)
        return;
    const double tolerance = precision == Precision::float64 ? 1e-7 : 1e-2;
    std::uint32_t compared = 0, different = 0;
    const ReplayValues* shown = nullptr;
    bool any = false;
    for (const ReplayValues& value : samples) {
        if (!value.ran || !std::isfinite(value.forward) || !std::isfinite(value.dot_backward))
            continue;
        ++compared;
        any = any || value.forward != 0 || value.dot_backward != 0;
        const double scale = std::max(value.forward_magnitude, value.backward_magnitude);
        if (std::abs(value.forward - value.dot_backward) <= tolerance * scale)
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
                                  shown->dot_backward, shown->forward, different, compared);
    } else {
        not_applicable(step, fmt::format("1 of {} inputs differs, which a kink can be the cause of",
                                         compared));
    }
}

/// Whether a gradient this steep would leave the range of the function within the smallest step:
/// differences say nothing about it. Chaotic kernels have such gradients.
bool is_too_steep(const DirectionalValues& values, double gradient, Precision precision) {
    double largest = std::max(std::abs(values.at_zero), values.magnitude);
    for (const auto* side : {&values.plus, &values.minus})
        for (const double value : *side)
            if (std::isfinite(value))
                largest = std::max(largest, std::abs(value));
    return std::abs(gradient) * difference_steps(precision).back() > largest;
}

/// What moves of a call: its arguments, or one buffer.
struct JudgedPart {
    std::string buffer; ///< "" for the arguments
    const std::vector<ReplayValues>* samples = nullptr;
    std::vector<DifferenceJudgement> judgements;
    std::vector<std::uint32_t> numbers; ///< of the samples that were judged
    std::uint32_t not_finite = 0;
    DifferenceSummary summary;

    JudgedPart(std::string moved, const std::vector<ReplayValues>& values, Precision precision)
        : buffer(std::move(moved)), samples(&values) {
        for (std::uint32_t i = 0; i < values.size(); ++i) {
            const ReplayValues& value = values[i];
            if (!value.ran)
                continue;
            const double gradient = value.backward + value.buffers;
            if (!std::isfinite(gradient)) { // whether inputs that overflow are meant is not known
                ++not_finite;
                continue;
            }
            judgements.push_back(judge_differences(value.differences, gradient, precision));
            if (judgements.back().verdict == DifferenceVerdict::mismatch &&
                is_too_steep(value.differences, gradient, precision))
                judgements.back().verdict = DifferenceVerdict::too_coarse;
            numbers.push_back(i);
        }
        summary = summarize_differences(judgements);
    }

    bool judged() const { return judgements.size() > not_finite; }
    bool is(DifferenceSummary::Outcome outcome) const {
        return judged() && summary.outcome == outcome;
    }
    /// Nothing of it moves the result, as its gradient says.
    bool still() const {
        return judged() && !is(DifferenceSummary::Outcome::right) &&
               summary.agreeing == summary.samples;
    }
    /// Where most inputs lie at kinks the function is chaotic, and what differences converge to at
    /// the others may be its structure at the smallest steps.
    bool chaotic() const {
        return 2 * (summary.agreeing + summary.mismatching) < summary.samples;
    }
    std::string reason() const {
        const std::string infinite =
            not_finite == 0
                ? ""
                : fmt::format("gradients of {} are not finite", counted(not_finite, "input"));
        std::string text = infinite.empty() ? "no input gave values" : infinite;
        if (judged())
            text = summary.reason + (infinite.empty() ? "" : ", " + infinite);
        return buffer.empty() ? text : fmt::format("of {} {}", buffer, text);
    }
};

/// Takes over the numbers of a part.
void show(DifferentiatedCall& call, const JudgedPart& part) {
    const DifferenceSummary& summary = part.summary;
    call.samples = summary.agreeing + summary.mismatching;
    call.kinks = summary.kinks;
    call.mismatches = summary.mismatching;
    if (part.judgements.empty())
        return;
    call.sample = part.numbers[summary.sample];
    call.backward = part.judgements[summary.sample].gradient;
    call.central_difference = part.judgements[summary.sample].central_difference;
    const ReplayValues& shown = (*part.samples)[call.sample];
    if (part.buffer.empty() && call.dot_product.state != StepState::not_applicable &&
        shown.backward == shown.dot_backward) // else fwd_diff went along another direction
        call.forward = shown.forward;
}

/// "96 calls", "64 of up to 5000 calls of each input".
std::string calls_text(const Replay& replay) {
    return replay.most_made <= most_recorded_calls
               ? counted(replay.calls, "call")
               : fmt::format("{} of up to {} calls of each input", most_recorded_calls,
                             replay.most_made);
}

void judge_differences_of(DifferentiatedCall& call, const Replay& replay, Precision precision) {
    using Outcome = DifferenceSummary::Outcome;
    StepReport& step = call.differences;
    if (step.state != StepState::not_run)
        return;
    std::vector<JudgedPart> parts;
    const auto ran = [](const std::vector<ReplayValues>& values) {
        return std::any_of(values.begin(), values.end(), [](const auto& v) { return v.ran; });
    };
    if (ran(replay.samples) || replay.buffers.empty())
        parts.emplace_back("", replay.samples, precision);
    for (const auto& [buffer, values] : replay.buffers)
        parts.emplace_back(buffer, values, precision);
    const auto first = [&](auto&& chosen) {
        return std::find_if(parts.begin(), parts.end(), chosen);
    };
    const std::string_view words = precision == Precision::float64 ? "in double" : "in float";
    auto part = first([](const JudgedPart& p) { return p.is(Outcome::wrong) && !p.chaotic(); });
    if (part != parts.end()) {
        show(call, *part);
        step.state = StepState::failed;
        step.detail = fmt::format("bwd_diff gives {:.6g}, central differences {:.6g}: {} ({})",
                                  call.backward, call.central_difference, part->reason(), words);
        return;
    }
    part = first([](const JudgedPart& p) { return !p.is(Outcome::right) && !p.still(); });
    if (part != parts.end()) {
        show(call, *part);
        std::string why = part->reason();
        if (part->is(Outcome::wrong))
            why += fmt::format(", but only {} of {} could be judged", call.samples,
                               part->summary.samples);
        return not_applicable(step, part->judged() ? fmt::format("{} ({})", why, words) : why);
    }
    part = first([](const JudgedPart& p) { return p.is(Outcome::right); });
    if (part == parts.end()) {
        show(call, parts.front());
        return not_applicable(step, fmt::format("{} ({})", parts.front().reason(), words));
    }
    show(call, *part);
    step.state = StepState::passed;
    std::string reason;
    for (const JudgedPart& p : parts)
        if (p.is(Outcome::right))
            reason += (reason.empty() ? "" : ", ") + p.reason();
    step.detail = fmt::format("{} ({}, {})", reason, calls_text(replay), words);
}

class DerivativeChecker {
  public:
    DerivativeChecker(SlangCompiler& compiler, CpuLibraries& libraries, KernelRunner& runner,
                      const DerivativeRequest& request, std::optional<std::size_t> only = {})
        : compiler_(compiler), libraries_(libraries), runner_(runner), request_(request),
          only_(only), model_(*request.model), effects_(model_),
          kernel_(differentiated_kernel(request.entry_point)),
          sites_(kernel_ ? std::vector<DerivativeSite>{}
                         : find_derivative_sites(model_, request.entry_point)),
          pairs_(gradient_pairs(model_, effects_, request.options->gradients)) {}

    Result<std::vector<DifferentiatedCall>> run() {
        for (std::size_t i = 0; i < sites_.size(); ++i)
            describe(i);
        if (kernel_)
            describe_kernel();
        if (sites_.empty() && !kernel_)
            return std::move(calls_);
        Result<bool> done = check_in_double();
        if (done && !*done)
            done = check(*request_.variant, model_, Precision::float32, sites_);
        if (!done)
            return tl::unexpected(done.error());
        if (!only_)
            for (std::size_t i = 0; i < calls_.size(); ++i)
                if (calls_[i].differences.state == StepState::failed)
                    if (const auto explained = explain(i); !explained)
                        return tl::unexpected(explained.error());
        return std::move(calls_);
    }

  private:
    /// What the text alone says of a site.
    void describe(std::size_t index) {
        DerivativeSite& site = sites_[index];
        if (only_ && *only_ != index)
            site.problem = "not asked for";
        else if (site.problem.empty())
            site.problem = side_effect(model_, effects_, site.function);
        if (site.problem.empty())
            site.problem = problem_of_pairs(model_, effects_, request_.options->gradients);
        DifferentiatedCall& call = calls_.emplace_back();
        call.function = site.function;
        call.place = model_.place(site.callee);
        call.dot_product.step = Step::dot_product;
        call.differences.step = Step::differences;
        if (const std::string custom = without_forward_partner(model_, effects_, site.function);
            !custom.empty())
            not_applicable(call.dot_product, custom + " has a backward derivative only");
        add_unpaired(call, site.function);
        for (const GradientPair& pair : pairs_.pairs)
            site.moves_buffers = site.moves_buffers ||
                                 reads(model_, effects_, site.function, pair.buffer);
    }

    void add_unpaired(DifferentiatedCall& call, const std::string& function) {
        for (const Index index : functions_named(model_, function))
            for (std::string& name : pairs_.unpaired_below(effects_, index))
                add_unpaired_name(call, std::move(name));
    }

    static void add_unpaired_name(DifferentiatedCall& call, std::string name) {
        if (std::find(call.unpaired.begin(), call.unpaired.end(), name) == call.unpaired.end())
            call.unpaired.push_back(std::move(name));
    }

    /// A kernel that is differentiated itself is one call.
    void describe_kernel() {
        DifferentiatedCall& call = calls_.emplace_back();
        call.function = *kernel_;
        for (const Index index : model_.find_functions(*kernel_))
            call.place = model_.place(model_.functions[index].name_site);
        call.dot_product.step = Step::dot_product;
        call.differences.step = Step::differences;
        if (const std::string custom = without_forward_partner(model_, effects_, *kernel_);
            !custom.empty())
            not_applicable(call.dot_product, custom + " has a backward derivative only");
        // Only tensors move: buffers are not looked at, paired or not.
        for (const Index index : model_.find_functions(*kernel_))
            for (const std::string& name : pairs_.unpaired_below(effects_, index))
                if (model_.find_global(name))
                    add_unpaired_name(call, name);
        for (const GradientPair& pair : pairs_.pairs)
            if (reads(model_, effects_, *kernel_, pair.buffer))
                add_unpaired_name(call, pair.buffer);
    }

    Result<bool> check_kernel(const ModuleVariant& variant, Precision precision) {
        const StepClock clock;
        const Result<Replay> replay =
            replay_tensors(compiler_, libraries_, runner_, request_, variant, precision);
        if (!replay)
            return tl::unexpected(replay.error());
        if (!replay->problem.empty() && precision == Precision::float64)
            return false;
        DifferentiatedCall& call = calls_.front();
        not_applicable_if(call, replay->problem);
        judge_dot_product(call, replay->samples, precision);
        judge_differences_of(call, *replay, precision);
        call.differences.duration = clock.elapsed();
        return true;
    }

    /// False: in double less can be checked than in float; nothing is decided then.
    Result<bool> check_in_double() {
        const Result<ModuleVariant> variant = in_double(*request_.variant, model_);
        if (!variant)
            return false;
        const ModuleModel model = model_of(*variant, model_);
        std::vector<DerivativeSite> sites;
        if (!kernel_)
            sites = find_derivative_sites(model, request_.entry_point);
        if (sites.size() != sites_.size())
            return false;
        for (std::size_t i = 0; i < sites.size(); ++i) {
            sites[i].problem = sites_[i].problem;
            sites[i].moves_buffers = sites_[i].moves_buffers;
        }
        return check(*variant, model, Precision::float64, sites);
    }

    Result<bool> check(const ModuleVariant& variant, const ModuleModel& model, Precision precision,
                       const std::vector<DerivativeSite>& sites) {
        if (kernel_)
            return check_kernel(variant, precision);
        const StepClock clock;
        const bool in_double = precision == Precision::float64;
        Result<ReplayModule> compiled = compile_replay_module(
            compiler_,
            {&variant, &model, request_.entry_point,
             request_.machine == Machine::cuda ? SlangTarget::cuda : SlangTarget::cpp},
            sites);
        if (!compiled)
            return tl::unexpected(compiled.error());
        const ReplayModule& module = *compiled;
        if (in_double)
            for (std::size_t i = 0; i < sites.size(); ++i)
                if (module.sites[i].problem != sites[i].problem ||
                    !module.sites[i].forward_problem.empty())
                    return false;
        ReplayRun run(libraries_, runner_, request_, module, precision);
        std::string problem = "nothing of it compiles";
        if (module.can_run()) {
            Result<std::string> recorded = run.record();
            if (!recorded)
                return tl::unexpected(recorded.error());
            problem = std::move(*recorded);
            if (!problem.empty() && in_double)
                return false;
        }
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            DifferentiatedCall& call = calls_[i];
            const ReplaySite& site = module.sites[i];
            not_applicable_if(call, with_advice(site.problem, call));
            not_applicable_if(call, problem);
            if (!site.forward_problem.empty())
                not_applicable(call.dot_product, "fwd_diff: " + site.forward_problem);
            if (site.scalars == 0)
                not_applicable(call.dot_product, call.function + " takes no argument that has a "
                                                                 "gradient");
            if (site.half && !in_double)
                not_applicable(call, "half precision is too coarse");
            if (call.differences.state == StepState::not_run)
                if (const auto done = check_site(run, i, precision); !done)
                    return tl::unexpected(done.error());
            call.differences.duration = clock.elapsed();
        }
        return true;
    }

    /// What can be done where f has no argument to move and its buffers' gradients are not known.
    static std::string with_advice(const std::string& problem, const DifferentiatedCall& call) {
        if (!problem.ends_with("takes nothing that has a gradient") || call.unpaired.empty())
            return problem;
        return fmt::format("{} but what it reads from {}: give `gradient.{} = \"BUFFER\"` in "
                           "slimgrad.toml",
                           problem, fmt::join(call.unpaired, ", "), call.unpaired.front());
    }

    static void not_applicable_if(DifferentiatedCall& call, const std::string& why) {
        if (!why.empty())
            not_applicable(call, why);
    }

    Result<void> check_site(ReplayRun& run, std::size_t index, Precision precision) {
        DifferentiatedCall& call = calls_[index];
        const Result<Replay> replay = run.replay(index, pairs_.pairs);
        if (!replay)
            return tl::unexpected(replay.error());
        not_applicable_if(call, replay->problem);
        for (const std::string& buffer : replay->not_moved)
            add_unpaired_name(call, buffer);
        judge_dot_product(call, replay->samples, precision);
        judge_differences_of(call, *replay, precision);
        return {};
    }

    /// Whether the site agrees with differences in the module with these texts.
    Result<bool> agrees_with(const FileTexts& texts, std::size_t index) {
        ModuleVariant variant = *request_.variant;
        for (const auto& [path, text] : texts)
            variant.overlay[path] = text;
        const ModuleModel model = model_of(variant, model_);
        VerifyOptions options = *request_.options;
        // The sample that showed it must be among them: others may move what is right alone.
        options.samples = std::min(options.samples,
                                   std::max(samples_to_explain, calls_[index].sample + 1));
        DerivativeRequest request = request_;
        request.options = &options;
        request.variant = &variant;
        request.model = &model;
        const auto calls =
            DerivativeChecker(compiler_, libraries_, runner_, request, index).run();
        if (!calls)
            return tl::unexpected(calls.error());
        return calls->size() == calls_.size() &&
               (*calls)[index].differences.state == StepState::passed;
    }

    /// Looks for what a mismatch goes away without.
    Result<void> explain(std::size_t index) {
        DifferentiatedCall& call = calls_[index];
        // What is cut is cut for fwd_diff, too: it is no reason where the two differ.
        const bool custom_only = call.dot_product.state == StepState::failed;
        std::vector<CutPath> cuts = cut_paths(model_, effects_, call.function);
        cuts.resize(std::min(cuts.size(), most_cuts));
        for (const CutPath& cut : cuts) {
            if (custom_only && cut.kind != CutPath::Kind::custom_derivative)
                continue;
            const Result<bool> agrees = agrees_with(cut.texts, index);
            if (!agrees)
                return tl::unexpected(agrees.error());
            if (!*agrees)
                continue;
            if (cut.kind == CutPath::Kind::custom_derivative)
                call.custom_derivatives.push_back(cut.name);
            else
                call.cuts.push_back(cut.place);
        }
        if (custom_only || !call.cuts.empty() || !call.custom_derivatives.empty())
            return {};
        return explain_together(index);
    }

    /// None of the cuts alone is the reason: are all of them?
    Result<void> explain_together(std::size_t index) {
        ModuleVariant variant = *request_.variant;
        std::vector<Place> places;
        for (std::size_t i = 0; i < most_cuts; ++i) {
            const ModuleModel model = model_of(variant, model_);
            const std::vector<CutPath> cuts =
                cut_paths(model, EffectAnalysis(model), calls_[index].function);
            const auto next = std::find_if(cuts.begin(), cuts.end(), [](const CutPath& cut) {
                return cut.kind != CutPath::Kind::custom_derivative;
            });
            if (next == cuts.end())
                break;
            places.push_back(next->place);
            for (const auto& [path, text] : next->texts)
                variant.overlay[path] = text;
        }
        if (places.size() < 2)
            return {};
        const Result<bool> agrees = agrees_with(variant.overlay, index);
        if (!agrees)
            return tl::unexpected(agrees.error());
        if (*agrees)
            calls_[index].cuts = std::move(places);
        return {};
    }

    SlangCompiler& compiler_;
    CpuLibraries& libraries_;
    KernelRunner& runner_;
    const DerivativeRequest& request_;
    std::optional<std::size_t> only_; ///< the site that is asked for, without explanations
    const ModuleModel& model_;
    EffectAnalysis effects_;
    std::optional<std::string> kernel_; ///< that is differentiated itself; then there are no sites
    std::vector<DerivativeSite> sites_;
    GradientPairs pairs_;
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
