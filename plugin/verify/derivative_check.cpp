#include "plugin/verify/derivative_check.h"

#include "attributes/effects.h"
#include "plugin/verify/cut_paths.h"
#include "plugin/verify/derivative_facts.h"
#include "plugin/verify/derivative_sites.h"
#include "plugin/verify/double_text.h"
#include "plugin/verify/float_loss.h"
#include "plugin/verify/gradient_pairs.h"
#include "plugin/verify/replay_judge.h"
#include "plugin/verify/replay_module.h"
#include "plugin/verify/replay_run.h"
#include "plugin/verify/tensor_replay.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace slimgrad::verify {
namespace {

/// Of the cuts in one function that are taken away to see whether a mismatch goes with them.
constexpr std::size_t most_cuts = 12;
constexpr std::uint32_t samples_to_explain = 8;

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

class DerivativeChecker {
  public:
    DerivativeChecker(SlangCompiler& compiler, CpuLibraries& libraries, KernelRunner& runner,
                      const DerivativeRequest& request, std::optional<std::size_t> only = {},
                      std::string customs_below = "")
        : compiler_(compiler), libraries_(libraries), runner_(runner), request_(request),
          only_(only), customs_below_(std::move(customs_below)), model_(*request.model),
          effects_(model_),
          kernel_(customs_below_.empty() ? differentiated_kernel(request.entry_point)
                                         : std::nullopt),
          sites_(find_sites(model_)),
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
        if (checks_all())
            for (std::size_t i = 0; i < calls_.size(); ++i)
                if (calls_[i].differences.state == StepState::failed)
                    if (const auto explained = explain(i); !explained)
                        return tl::unexpected(explained.error());
        return std::move(calls_);
    }

  private:
    std::vector<DerivativeSite> find_sites(const ModuleModel& model) const {
        if (kernel_)
            return {};
        return customs_below_.empty()
                   ? find_derivative_sites(model, request_.entry_point)
                   : custom_derivative_sites(model, EffectAnalysis(model), customs_below_);
    }

    /// Whether it is the calls of the entry point that are checked, all of them.
    bool checks_all() const { return !only_ && customs_below_.empty(); }

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
            !custom.empty()) {
            not_applicable(call.dot_product, custom + " has a backward derivative only");
            site.backward_only = true;
        }
        add_unpaired(call, site.function);
        for (const GradientPair& pair : pairs_.pairs)
            site.moves_buffers =
                site.moves_buffers || reads(model_, effects_, site.function, pair.buffer);
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
        std::vector<DerivativeSite> sites = find_sites(model);
        if (sites.size() != sites_.size())
            return false;
        for (std::size_t i = 0; i < sites.size(); ++i) {
            sites[i].problem = sites_[i].problem;
            sites[i].moves_buffers = sites_[i].moves_buffers;
            sites[i].backward_only = sites_[i].backward_only;
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
            Result<std::string> recorded = run.record(pairs_.pairs);
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
        if (in_double && checks_all() && module.can_run() && request_.code)
            return look_for_loss(run);
        return true;
    }

    /// Runs the kernel in its own precision, too: what is right in double may be 0 there.
    Result<bool> look_for_loss(const ReplayRun& in_double) {
        if (std::none_of(calls_.begin(), calls_.end(), [](const DifferentiatedCall& call) {
                return call.differences.state == StepState::passed;
            }))
            return true;
        const Result<std::string> lost = lost_in_float(
            libraries_, runner_, request_, in_double.recorded(), in_double.record_plan());
        if (!lost)
            return tl::unexpected(lost.error());
        for (DifferentiatedCall& call : calls_)
            if (call.differences.state == StepState::passed)
                call.lost = *lost;
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
        options.samples =
            std::min(options.samples, std::max(samples_to_explain, calls_[index].sample + 1));
        DerivativeRequest request = request_;
        request.options = &options;
        request.variant = &variant;
        request.model = &model;
        const auto calls = DerivativeChecker(compiler_, libraries_, runner_, request, index).run();
        if (!calls)
            return tl::unexpected(calls.error());
        return calls->size() == calls_.size() &&
               (*calls)[index].differences.state == StepState::passed;
    }

    /// Compares the custom derivatives on the way with differences of their own functions: names
    /// those that are wrong, and returns those that are right. Of others nothing is known.
    Result<std::set<std::string>> check_custom_derivatives(DifferentiatedCall& call) {
        std::set<std::string> right;
        DerivativeChecker checker(compiler_, libraries_, runner_, request_, {}, call.function);
        const std::vector<DerivativeSite> sites = checker.sites_;
        const auto checked = checker.run();
        if (!checked)
            return tl::unexpected(checked.error());
        for (std::size_t i = 0; i < sites.size(); ++i) {
            const std::string& name = model_.functions[sites[i].derivative].name;
            const StepState state = (*checked)[i].differences.state;
            if (state == StepState::failed)
                call.custom_derivatives.push_back(name);
            else if (state == StepState::passed && (*checked)[i].unpaired.empty())
                right.insert(name);
        }
        return right;
    }

    /// Looks for what a mismatch goes away without.
    Result<void> explain(std::size_t index) {
        DifferentiatedCall& call = calls_[index];
        // What is cut is cut for fwd_diff, too: it is no reason where the two differ.
        const bool custom_only = call.dot_product.state == StepState::failed;
        const Result<std::set<std::string>> right = check_custom_derivatives(call);
        if (!right)
            return tl::unexpected(right.error());
        if (!call.custom_derivatives.empty())
            return {};
        std::vector<CutPath> cuts = cut_paths(model_, effects_, call.function);
        cuts.resize(std::min(cuts.size(), most_cuts));
        for (const CutPath& cut : cuts) {
            const bool custom = cut.kind == CutPath::Kind::custom_derivative;
            if (custom ? right->contains(cut.name) : custom_only)
                continue;
            const Result<bool> agrees = agrees_with(cut.texts, index);
            if (!agrees)
                return tl::unexpected(agrees.error());
            if (!*agrees)
                continue;
            if (custom)
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
    /// Not "": the custom derivatives below this function are checked, not the entry point's calls.
    std::string customs_below_;
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
