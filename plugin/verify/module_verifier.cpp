#include "plugin/verify/module_verifier.h"

#include "plugin/cache/result_cache.h"
#include "plugin/verify/coverage_options.h"
#include "plugin/verify/derivative_check.h"
#include "plugin/verify/derivative_verdict.h"
#include "plugin/verify/double_decision.h"
#include "plugin/verify/export_module.h"
#include "plugin/verify/gpu_comparison.h"
#include "plugin/verify/step.h"
#include "plugin/verify/verification_cache.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace slimgrad {
namespace {

using verify::Machine;

std::string_view name(Machine machine) {
    return machine == Machine::cpp ? "C++" : "CUDA";
}

} // namespace

Result<VerifyResult> ModuleVerifier::compare_on(Machine machine, const ModuleView& original,
                                                const ModuleView& rewritten,
                                                const std::string& entry_point,
                                                const VerifyOptions& options) {
    const Result<const ModuleKernel*> before = kernels_.get(original, machine);
    const Result<const ModuleKernel*> after = kernels_.get(rewritten, machine);
    if (!before || !after)
        return tl::unexpected((before ? after : before).error());
    if (const std::string& problem = (*after)->problem; !problem.empty()) {
        VerifyResult result;
        result.entry_point = entry_point;
        result.reason = fmt::format("Slang does not compile the rewritten module to {}: {}",
                                    name(machine), problem);
        result.steps.push_back({Step::compiles, StepState::failed, problem, {}});
        return result;
    }
    return verifier_.compare((*before)->kernel, (*after)->kernel, entry_point, options);
}

Result<VerifyResult> ModuleVerifier::compare_entry(const ModuleView& original,
                                                   const ModuleView& rewritten,
                                                   const std::string& entry_point,
                                                   const VerifyOptions& options) {
    const Result<std::vector<Machine>> available = kernels_.machines(original, entry_point);
    if (!available)
        return tl::unexpected(available.error());
    const StepClock clock;
    if (available->size() > 1 && options.both_machines)
        if (const auto done = kernels_.compile_ahead(verifier_.libraries(), *available, original,
                                                     rewritten, options.limits);
            !done)
            return tl::unexpected(done.error());
    const auto compiled_ahead = clock.elapsed();
    std::optional<VerifyResult> result;
    for (std::size_t i = 0; i < available->size(); ++i) {
        const Machine machine = (*available)[i];
        Result<VerifyResult> own = compare_on(machine, original, rewritten, entry_point, options);
        if (!own)
            return tl::unexpected(own.error());
        if (result && own->verdict == Verdict::cannot_run)
            continue; // the first says why
        result = std::move(*own);
        for (StepReport& step : result->steps)
            if (step.step == Step::compiles)
                step.duration += compiled_ahead;
        if (result->timed_out) // nor would it on the other
            break;
        if (result->verdict == Verdict::cannot_run)
            continue;
        if (const auto done = verify::decide_in_double(kernels_, verifier_, machine, original,
                                                       rewritten, options, *result);
            !done)
            return tl::unexpected(done.error());
        for (std::size_t other = i + 1; other < available->size() && options.both_machines; ++other)
            if (const auto done =
                    confirm_on((*available)[other], machine, original, rewritten, options, *result);
                !done)
                return tl::unexpected(done.error());
        if (options.derivatives)
            if (const auto done = judge_derivatives(machine, original, rewritten, options, *result);
                !done)
                return tl::unexpected(done.error());
        break;
    }
    if (!result) {
        result.emplace();
        result->entry_point = entry_point;
        const Result<const ModuleKernel*> cpp = kernels_.get(original, Machine::cpp);
        result->reason = cpp && !(*cpp)->problem.empty()
                             ? "Slang does not compile it for the CPU: " + (*cpp)->problem
                             : "the module has no such entry point that a CPU can run";
    }
    return std::move(*result);
}

Result<void> ModuleVerifier::confirm_on(Machine other, Machine primary, const ModuleView& original,
                                        const ModuleView& rewritten, const VerifyOptions& options,
                                        VerifyResult& result) {
    if (result.verdict != Verdict::equal && result.verdict != Verdict::unverified)
        return {};
    const StepClock clock;
    const auto report = [&](StepState state, std::string detail) {
        result.steps.push_back({Step::targets, state, std::move(detail), clock.elapsed()});
    };
    const Result<const ModuleKernel*> here = kernels_.get(original, primary);
    const Result<const ModuleKernel*> there = kernels_.get(original, other);
    if (!here || !there)
        return tl::unexpected((here ? there : here).error());
    VerifyOptions quiet = options;
    quiet.branches.clear(); // what is covered is asked of the primary machine
    quiet.rewritten_branches.clear();
    const bool branches = (*here)->kernel.target_switch || (*there)->kernel.target_switch;
    const Result<VerifyResult> agree =
        verifier_.compare((*here)->kernel, (*there)->kernel, result.entry_point, quiet);
    if (!agree)
        return tl::unexpected(agree.error());
    switch (agree->verdict) {
    case Verdict::different:
    case Verdict::rewritten_wrong:
        if (branches) {
            report(StepState::not_applicable,
                   "the branches of __target_switch compute different values");
            break;
        }
        report(StepState::failed,
               agree->difference
                   ? fmt::format("{} is {:.9g} by the {} text and {:.9g} by the {} text (input {}, "
                                 "seed {})",
                                 agree->difference->scalar, agree->difference->original,
                                 name(primary), agree->difference->rewritten, name(other),
                                 agree->difference->sample, options.seed)
                   : agree->reason);
        result.verdict = Verdict::unverified;
        result.reason = fmt::format("{} and {} text do not compute the same: {}", name(primary),
                                    name(other), result.steps.back().detail);
        if (&original == &rewritten)
            return note_conflict(other, original, options, result);
        return {};
    case Verdict::cannot_run:
        report(StepState::not_applicable, agree->reason);
        return {};
    default:
        report(StepState::passed, "");
        break;
    }
    VerifyOptions again = options;
    again.branches.clear();
    again.rewritten_branches.clear();
    Result<VerifyResult> own = compare_on(other, original, rewritten, result.entry_point, again);
    if (!own)
        return tl::unexpected(own.error());
    if (const auto done =
            verify::decide_in_double(kernels_, verifier_, other, original, rewritten, again, *own);
        !done)
        return tl::unexpected(done.error());
    const bool bad = own->verdict == Verdict::different ||
                     own->verdict == Verdict::rewritten_wrong ||
                     own->verdict == Verdict::original_wrong;
    if (!bad) {
        for (const StepReport& step : own->steps)
            if (step.step == Step::threads)
                result.steps.push_back(step);
        result.conflict = own->conflict;
        result.conflict_place = own->conflict_place;
        result.conflict_certain = own->conflict_certain;
        if (own->verdict == Verdict::unverified && !own->conflict.empty() &&
            result.verdict == Verdict::equal) {
            result.verdict = Verdict::unverified;
            result.reason = own->reason;
            result.place = own->place;
            result.sample = own->sample;
        }
        return {};
    }
    std::vector<StepReport> steps = std::move(result.steps);
    result = *own;
    result.reason = fmt::format("in the {} text: {}", name(other), result.reason);
    steps.insert(steps.end(), result.steps.begin(), result.steps.end());
    result.steps = std::move(steps);
    return {};
}

Result<void> ModuleVerifier::note_conflict(Machine machine, const ModuleView& module,
                                           const VerifyOptions& options, VerifyResult& result) {
    const Result<VerifyResult> own =
        compare_on(machine, module, module, result.entry_point, options);
    if (!own)
        return tl::unexpected(own.error());
    for (const StepReport& step : own->steps)
        if (step.step == Step::threads)
            result.steps.push_back(step);
    if (!own->conflict.empty()) {
        result.conflict = own->conflict;
        result.conflict_place = own->conflict_place;
        result.conflict_certain = own->conflict_certain;
        result.reason = own->conflict;
        result.place = own->conflict_place;
    }
    return {};
}

Result<std::vector<verify::DifferentiatedCall>>
ModuleVerifier::derivatives(Machine machine, const ModuleView& module, const VerifyOptions& options,
                            const VerifyResult& result) {
    const Result<const ModuleKernel*> compiled = kernels_.get(module, machine);
    if (!compiled)
        return tl::unexpected(compiled.error());
    verify::DerivativeRequest request;
    request.variant = &module.source;
    request.model = module.model;
    request.reflection = &(*compiled)->kernel.reflection;
    request.code = &(*compiled)->kernel.code;
    request.entry_point = result.entry_point;
    request.machine = machine;
    request.options = &options;
    request.defaults = result.defaults;
    request.elements = result.elements;
    request.tensor_sizes = result.tensor_sizes;
    return verify::check_derivatives(kernels_.compiler(), verifier_.libraries(), verifier_.runner(),
                                     request);
}

Result<void> ModuleVerifier::judge_derivatives(Machine machine, const ModuleView& original,
                                               const ModuleView& rewritten,
                                               const VerifyOptions& options, VerifyResult& result) {
    using Kind = verify::DerivativeVerdict::Kind;
    if (result.not_finite)
        return {};
    const bool worth = result.verdict == Verdict::equal || result.verdict == Verdict::different ||
                       result.verdict == Verdict::unverified ||
                       (result.verdict == Verdict::original_wrong && result.rewritten_clean);
    if (!worth)
        return {};
    Result<std::vector<verify::DifferentiatedCall>> after =
        derivatives(machine, rewritten, options, result);
    if (!after)
        return tl::unexpected(after.error());
    const verify::DerivativeVerdict rewritten_says = verify::judge(*after);
    for (StepReport& step : verify::derivative_steps(*after))
        result.steps.push_back(std::move(step));
    result.calls = std::move(*after);
    if (result.verdict == Verdict::original_wrong) {
        if (rewritten_says.kind == Kind::right)
            result.reason += "; the rewritten kernel's gradients agree with central differences";
        return {};
    }
    if (result.verdict != Verdict::different && rewritten_says.kind != Kind::wrong)
        return {};
    const Result<std::vector<verify::DifferentiatedCall>> before =
        derivatives(machine, original, options, result);
    if (!before)
        return tl::unexpected(before.error());
    const verify::DerivativeVerdict original_says = verify::judge(*before);
    if (result.verdict != Verdict::different) {
        // The same gradients: as wrong as before, or of another function.
        if (original_says.kind == Kind::right) {
            result.verdict = Verdict::rewritten_wrong;
            result.reason = fmt::format("the gradients are the original's, but no longer those of "
                                        "the function: {}",
                                        rewritten_says.reason);
            result.place = rewritten_says.place;
        } else {
            result.reason += fmt::format("; but in both {}", rewritten_says.reason);
        }
        return {};
    }
    if (original_says.kind == Kind::wrong && rewritten_says.kind == Kind::right) {
        result.verdict = Verdict::original_wrong;
        result.reason += fmt::format("; in the original {}, in the rewritten kernel they agree",
                                     original_says.reason);
        result.place = original_says.place;
    } else if (original_says.kind == Kind::right && rewritten_says.kind != Kind::right) {
        if (rewritten_says.kind == Kind::wrong)
            result.verdict = Verdict::rewritten_wrong;
        result.reason += fmt::format(
            "; the original's gradients agree with central differences{}",
            rewritten_says.kind == Kind::cannot_tell ? "" : ", the rewritten kernel's do not");
    }
    return {};
}

Result<VerifyResult> ModuleVerifier::check_entry(const ModuleView& module,
                                                 const std::string& entry_point,
                                                 const VerifyOptions& options) {
    using Kind = verify::DerivativeVerdict::Kind;
    VerifyOptions alone = options;
    alone.derivatives = false;
    Result<VerifyResult> ran = compare_entry(module, module, entry_point, alone);
    if (!ran)
        return ran;
    VerifyResult result = std::move(*ran);
    std::erase_if(result.steps, [](const StepReport& step) {
        return step.step == Step::equal || step.step == Step::aliasing;
    });
    if (result.verdict == Verdict::original_wrong || result.verdict == Verdict::rewritten_wrong)
        result.verdict = Verdict::wrong;
    if (result.verdict == Verdict::different) { // from itself
        result.verdict = Verdict::unverified;
        result.reason = "two runs on the same inputs do not write the same: " + result.reason;
    }
    if (result.verdict == Verdict::equal && !result.conflict.empty()) {
        result.verdict = Verdict::unverified;
        result.reason = result.conflict;
        result.place = result.conflict_place;
    }
    if (result.verdict != Verdict::equal && result.verdict != Verdict::unverified)
        return result;
    if (result.not_finite ||
        !verify::stayed_inside(result)) // nothing that such inputs show would count
        return result;
    const Result<std::vector<Machine>> available = kernels_.machines(module, entry_point);
    if (!available)
        return tl::unexpected(available.error());
    for (const Machine machine : *available) {
        Result<std::vector<verify::DifferentiatedCall>> calls =
            derivatives(machine, module, options, result);
        if (!calls)
            return tl::unexpected(calls.error());
        result.calls = std::move(*calls);
        const bool told = verify::judge(result.calls).kind != Kind::cannot_tell;
        if (told)
            break;
    }
    for (StepReport& step : verify::derivative_steps(result.calls))
        result.steps.push_back(std::move(step));
    const verify::DerivativeVerdict says = verify::judge(result.calls);
    switch (says.kind) {
    case Kind::wrong:
        result.verdict = Verdict::wrong;
        break;
    case Kind::right:
        if (result.verdict == Verdict::unverified)
            return result; // what was not reached is not known to be right
        result.verdict = Verdict::right;
        break;
    case Kind::cannot_tell:
        if (!result.conflict.empty()) // says more
            return result;
        [[fallthrough]];
    case Kind::cut:
        result.verdict = Verdict::unverified;
        break;
    }
    result.reason = says.reason;
    result.place = says.place;
    return result;
}

Result<void> ModuleVerifier::confirm_on_device(const ModuleView& original,
                                               const ModuleView& rewritten,
                                               const VerifyOptions& options, VerifyResult& result) {
    if (!options.device)
        return {};
    const Result<const ModuleKernel*> before = kernels_.get(original, Machine::cuda);
    const Result<const ModuleKernel*> after = kernels_.get(rewritten, Machine::cuda);
    if (!before || !after)
        return tl::unexpected((before ? after : before).error());
    for (const ModuleKernel* side : {*before, *after})
        if (!side->problem.empty() || !has_entry_point(side->kernel, result.entry_point)) {
            result.steps.push_back(
                {Step::device, StepState::not_applicable, "the CUDA text has no such kernel", {}});
            return {};
        }
    const CpuVariant &first = (*before)->kernel, &second = (*after)->kernel;
    verify::confirm_on_device(verifier_.libraries(), verifier_.runner(), first, second, options,
                              result);
    return {};
}

Result<VerifyResult> ModuleVerifier::verify_entry(const ModuleView& original,
                                                  const ModuleView& rewritten,
                                                  const std::string& entry_point,
                                                  const VerifyOptions& options,
                                                  const Promises& promises) {
    const VerifyOptions own = with_coverage(original, rewritten, entry_point, options, promises);
    Result<VerifyResult> result = &original == &rewritten
                                      ? check_entry(original, entry_point, own)
                                      : compare_entry(original, rewritten, entry_point, own);
    if (!result)
        return result;
    if (const auto done = confirm_on_device(original, rewritten, own, *result); !done)
        return tl::unexpected(done.error());
    sort_steps(result->steps);
    return result;
}

Result<void> ModuleVerifier::verify_exports(const ModuleView& original, const ModuleView& rewritten,
                                            const VerifyOptions& options, const Promises& promises,
                                            std::vector<VerifyResult>& results) {
    const std::set<std::string> backward = backward_exports(original);
    if (backward.empty())
        return {};
    using Module = Result<std::optional<verify::ExportModule>>;
    const Module before =
        verify::compile_export_module(kernels_.compiler(), original.source, *original.model);
    if (!before)
        return tl::unexpected(before.error());
    const bool alone = &original == &rewritten;
    Module other;
    if (!alone)
        other =
            verify::compile_export_module(kernels_.compiler(), rewritten.source, *rewritten.model);
    const Module& after = alone ? before : other;
    if (!after)
        return tl::unexpected(after.error());
    if (!*before || !*after)
        return {};
    const ModuleView first{(*before)->source, &(*before)->cuda, &(*before)->model};
    const ModuleView second{(*after)->source, &(*after)->cuda, &(*after)->model};
    for (const verify::ExportedFunction& function : (*before)->functions) {
        if (!backward.contains(function.name))
            continue;
        Result<VerifyResult> result = VerifyResult{};
        if (!function.problem.empty())
            result->reason = "no entry point can call it: " + function.problem;
        else if (!first.cuda->succeeded())
            result->reason =
                "an entry point that calls it does not compile: " + first_error(*first.cuda);
        else
            result = verify_entry(first, alone ? first : second, function.entry_point, options,
                                  promises);
        if (!result)
            return tl::unexpected(result.error());
        result->entry_point = function.name;
        results.push_back(std::move(*result));
    }
    return {};
}

std::uint64_t ModuleVerifier::accidents() {
    return kernels_.compiler().accidents() + kernels_.accidents() +
           verifier_.libraries().accidents() + verifier_.runner().accidents();
}

Result<std::vector<VerifyResult>> ModuleVerifier::compare(const ModuleView& original,
                                                          const ModuleView& rewritten,
                                                          const VerifyOptions& options,
                                                          const Promises& promises) {
    if (!cache_ || options.device)
        return compare_anew(original, rewritten, options, promises);
    constexpr const char* kind = "verification";
    const std::string tools = kernels_.compiler().identity() + verifier_.identity();
    const std::string key = verify::verification_key(original, rewritten, options, promises, tools);
    if (const std::optional<std::string> known = cache_->get(kind, key))
        if (auto results = verify::decode_verification(*known))
            return std::move(*results);
    const std::uint64_t before = accidents();
    Result<std::vector<VerifyResult>> results =
        compare_anew(original, rewritten, options, promises);
    if (results && accidents() == before)
        cache_->put(kind, key, verify::encode(*results));
    return results;
}

Result<std::vector<VerifyResult>> ModuleVerifier::compare_anew(const ModuleView& original,
                                                               const ModuleView& rewritten,
                                                               const VerifyOptions& options,
                                                               const Promises& promises) {
    std::vector<VerifyResult> results;
    for (const std::string& entry_point : backward_entry_points(original)) {
        Result<VerifyResult> result =
            verify_entry(original, rewritten, entry_point, options, promises);
        if (!result)
            return tl::unexpected(result.error());
        results.push_back(std::move(*result));
    }
    if (const auto done = verify_exports(original, rewritten, options, promises, results); !done)
        return tl::unexpected(done.error());
    return results;
}

Result<std::vector<VerifyResult>> ModuleVerifier::check(const ModuleView& module,
                                                        const VerifyOptions& options,
                                                        const Promises& promises) {
    return compare(module, module, options, promises);
}

} // namespace slimgrad
