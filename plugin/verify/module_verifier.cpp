#include "plugin/verify/module_verifier.h"

#include "plugin/cuda/cuda_text.h"
#include "plugin/verify/branches_to_cover.h"
#include "plugin/verify/cpp_text.h"
#include "plugin/verify/derivative_check.h"
#include "plugin/verify/derivative_verdict.h"
#include "plugin/verify/double_text.h"
#include "plugin/verify/export_module.h"
#include "plugin/verify/gpu_comparison.h"
#include "plugin/verify/loops_to_cover.h"
#include "plugin/verify/source_tokens.h"
#include "plugin/verify/step.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace slimgrad {
namespace {

using verify::Machine;

std::string_view name(Machine machine) {
    return machine == Machine::cpp ? "C++" : "CUDA";
}

std::string first_error(const CompileResult& compiled) {
    for (const Diagnostic& diagnostic : compiled.diagnostics)
        if (diagnostic.severity == DiagnosticSeverity::error)
            return diagnostic.message;
    return compiled.detail;
}

CpuVariant kernel_of(const ModuleView& module, const CompileResult& compiled, Machine machine) {
    CpuVariant kernel;
    kernel.machine = machine;
    kernel.code = compiled.code;
    kernel.reflection = compiled.reflection;
    for (const SourceFile& file : module.model->files) {
        // The CUDA text holds the branch that ships.
        kernel.target_switch |= machine == Machine::cpp &&
                                file.text().find("__target_switch") != std::string::npos;
    }
    kernel.target_code =
        holds_target_code(target_text_sources(*module.model, module.source.slang_arguments));
    return kernel;
}

bool has_entry_point(const CpuVariant& kernel, const std::string& entry_point) {
    const auto& entries = kernel.reflection.entry_points;
    return std::any_of(entries.begin(), entries.end(), [&](const EntryPoint& entry) {
        return entry.name == entry_point &&
               (kernel.machine == Machine::cuda || !entry.stage.empty());
    });
}

/// The [CudaDeviceExport] functions that run a backward pass.
std::set<std::string> backward_exports(const CompileResult& cuda) {
    std::set<std::string> names;
    for (const CudaFunction& function : read_cuda_text(cuda.code).functions)
        if (function.exported && function.backward)
            names.insert(function.name);
    return names;
}

/// What makes two compilations the same.
std::string key_of(const ModuleVariant& variant) {
    std::string key = variant.file;
    for (const std::string& argument : variant.slang_arguments)
        key += '\0' + argument;
    for (const auto& [path, text] : variant.overlay)
        key += '\0' + path + '\0' + text;
    return key;
}

/// How often the module's text names a floating-point type of 16 bits or less. In 64 bits these are
/// as good as the others.
std::size_t small_floats(const ModuleModel& model) {
    std::size_t count = 0;
    for (const SourceFile& file : model.files)
        for (const std::string_view name : {"half", "float16", "bfloat16", "Float8", "min16float"})
            for (std::size_t at = 0; (at = file.text().find(name, at)) != std::string::npos; ++at)
                ++count;
    return count;
}

/// Whether every index of both variants was, in every run on the host.
bool stayed_inside(const VerifyResult& result) {
    bool checked = false;
    for (const StepReport& step : result.steps)
        if (step.step == Step::checked) {
            checked = true;
            if (step.state != StepState::passed)
                return false;
        }
    return checked;
}

/// Whether the module's text names no floating-point type but double.
bool is_in_double(const ModuleModel& model) {
    return std::none_of(model.files.begin(), model.files.end(), [](const SourceFile& file) {
        const auto tokens = verify::source_tokens(
            file.text(), {0, static_cast<std::uint32_t>(file.text().size())});
        return std::any_of(tokens.begin(), tokens.end(), [](const verify::SourceToken& token) {
            return token.kind == verify::SourceToken::Kind::word &&
                   (token.text.find("float") != std::string_view::npos ||
                    token.text.find("half") != std::string_view::npos);
        });
    });
}

/// In the order of the ladder, whenever they were climbed.
void sort_steps(VerifyResult& result) {
    std::stable_sort(result.steps.begin(), result.steps.end(),
                     [](const StepReport& a, const StepReport& b) { return a.step < b.step; });
}

VerifyOptions options_for(const ModuleView& original, const ModuleView& rewritten,
                          const std::string& entry_point,
                          const VerifyOptions& options, const Promises& promises) {
    VerifyOptions result = options;
    for (const auto& [input, range] : promises.ranges)
        result.ranges[input] = {range.minimum, range.maximum};
    result.loops = loops_to_cover(*original.model, entry_point, promises);
    result.loops_are_all = true;
    const std::set<std::string> changed =
        original.model == rewritten.model ? std::set<std::string>{}
                                          : changed_functions(*original.model, *rewritten.model);
    result.branches = branches_to_cover(*original.model, entry_point, changed);
    if (original.model != rewritten.model)
        result.rewritten_branches = branches_to_cover(*rewritten.model, entry_point, changed);
    result.noalias = promises.noalias;
    return result;
}

} // namespace

std::string target_text_sources(const ModuleModel& model,
                                const std::vector<std::string>& slang_arguments) {
    std::string text;
    for (const SourceFile& file : model.files) {
        text += file.text();
        // Emitted in #line directives.
        text += "\n#line 1 \"" + file.path() + "\"\n";
    }
    for (const std::string& argument : slang_arguments)
        text += argument + '\n';
    return text;
}

std::vector<std::string> backward_entry_points(const CompileResult& cuda) {
    std::vector<std::string> names;
    for (const CudaFunction& function : read_cuda_text(cuda.code).functions) {
        if (!function.kernel || !function.backward)
            continue;
        const auto& entries = cuda.reflection.entry_points;
        const auto entry = std::find_if(entries.begin(), entries.end(), [&](const EntryPoint& e) {
            return e.code_name == function.name;
        });
        names.push_back(entry == entries.end() ? shader_name(function.name) : entry->name);
    }
    return names;
}

Result<const ModuleVerifier::Side*> ModuleVerifier::side(const ModuleView& module,
                                                         Machine machine) {
    const auto [known, added] = sides_.try_emplace({key_of(module.source), machine});
    Side& side = known->second;
    if (!added)
        return &side;
    if (machine == Machine::cuda) {
        if (module.cuda->succeeded())
            side.kernel = kernel_of(module, *module.cuda, machine);
        else
            side.problem = first_error(*module.cuda);
        return &side;
    }
    const Result<CompileResult> compiled = compile(module.source, machine);
    if (!compiled) {
        sides_.erase(known);
        return tl::unexpected(compiled.error());
    }
    if (compiled->succeeded())
        side.kernel = kernel_of(module, *compiled, machine);
    else
        side.problem = first_error(*compiled);
    return &side;
}

Result<std::vector<Machine>> ModuleVerifier::machines(const ModuleView& module,
                                                      const std::string& entry_point) {
    std::vector<Machine> result;
    bool target_switch = false;
    for (const Machine machine : {Machine::cpp, Machine::cuda}) {
        const Result<const Side*> compiled = side(module, machine);
        if (!compiled)
            return tl::unexpected(compiled.error());
        if (!(*compiled)->problem.empty() || !has_entry_point((*compiled)->kernel, entry_point))
            continue;
        target_switch |= (*compiled)->kernel.target_switch;
        result.push_back(machine);
    }
    if (target_switch) // the branch that ships counts
        std::reverse(result.begin(), result.end());
    return result;
}

Result<VerifyResult> ModuleVerifier::compare_on(Machine machine, const ModuleView& original,
                                                const ModuleView& rewritten,
                                                const std::string& entry_point,
                                                const VerifyOptions& options) {
    const Result<const Side*> before = side(original, machine);
    const Result<const Side*> after = side(rewritten, machine);
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

Result<void> ModuleVerifier::compile_ahead(const std::vector<Machine>& machines,
                                           const ModuleView& original,
                                           const ModuleView& rewritten,
                                           const ProcessLimits& limits) {
    std::vector<std::string> texts;
    for (const Machine machine : machines)
        for (const ModuleView* module : {&original, &rewritten}) {
            const Result<const Side*> compiled = side(*module, machine);
            if (!compiled)
                return tl::unexpected(compiled.error());
            const CpuVariant& kernel = (*compiled)->kernel;
            if ((*compiled)->problem.empty() && !kernel.target_code)
                texts.push_back(verify::instrument(kernel.code, "", machine).code);
        }
    const auto libraries = verifier_.libraries().compile(texts, limits);
    if (!libraries)
        return tl::unexpected(libraries.error());
    return {};
}

Result<VerifyResult> ModuleVerifier::compare_entry(const ModuleView& original,
                                                   const ModuleView& rewritten,
                                                   const std::string& entry_point,
                                                   const VerifyOptions& options) {
    const Result<std::vector<Machine>> available = machines(original, entry_point);
    if (!available)
        return tl::unexpected(available.error());
    const StepClock clock;
    if (available->size() > 1 && options.both_machines)
        if (const auto done = compile_ahead(*available, original, rewritten, options.limits); !done)
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
        if (result->verdict == Verdict::cannot_run)
            continue;
        if (const auto done = decide_in_double(machine, original, rewritten, options, *result);
            !done)
            return tl::unexpected(done.error());
        for (std::size_t other = i + 1; other < available->size() && options.both_machines; ++other)
            if (const auto done = confirm_on((*available)[other], machine, original, rewritten,
                                             options, *result);
                !done)
                return tl::unexpected(done.error());
        if (options.derivatives)
            if (const auto done =
                    judge_derivatives(machine, original, rewritten, options, *result);
                !done)
                return tl::unexpected(done.error());
        break;
    }
    if (!result) {
        result.emplace();
        result->entry_point = entry_point;
        const Result<const Side*> cpp = side(original, Machine::cpp);
        result->reason = cpp && !(*cpp)->problem.empty()
                             ? "Slang does not compile it for the CPU: " + (*cpp)->problem
                             : "the module has no such entry point that a CPU can run";
    }
    return std::move(*result);
}

Result<CompileResult> ModuleVerifier::compile(const ModuleVariant& variant, Machine machine) {
    CompileRequest request;
    request.file = variant.file;
    request.arguments = variant.slang_arguments;
    request.target = machine == Machine::cpp ? SlangTarget::cpp : SlangTarget::cuda;
    request.overlay = variant.overlay;
    request.project_root = variant.root;
    request.checkpoint_report = false;
    return compiler_.compile(request);
}

Result<void> ModuleVerifier::decide_in_double(Machine machine, const ModuleView& original,
                                              const ModuleView& rewritten,
                                              const VerifyOptions& options, VerifyResult& result) {
    const bool hidden = result.verdict == Verdict::equal && result.hidden_difference;
    if (result.verdict != Verdict::different && !hidden)
        return {};
    const auto undecided = [&](const std::string& why) -> Result<void> {
        if (hidden) {
            result.verdict = Verdict::unverified;
            result.reason = fmt::format("{}[{}] is {:.9g} in the original and {:.9g} in the rewritten "
                                        "kernel, small beside the rest of {}",
                                        result.hidden_difference->buffer,
                                        result.hidden_difference->element,
                                        result.hidden_difference->original,
                                        result.hidden_difference->rewritten,
                                        result.hidden_difference->buffer);
        }
        result.reason += "; not decided in 64 bits: " + why;
        return {};
    };
    if (is_in_double(*original.model) && is_in_double(*rewritten.model))
        return {}; // the difference is one of 64 bits
    if (small_floats(*original.model) != small_floats(*rewritten.model))
        return undecided("one of the two computes more in 16 bits");
    const Result<verify::DoubleVariants> texts = verify::both_in_double(
        original.source, *original.model, rewritten.source, *rewritten.model);
    if (!texts)
        return undecided(to_string(texts.error()));
    std::vector<CpuVariant> kernels;
    for (const auto& [variant, module] :
         {std::pair{&texts->original, &original}, std::pair{&texts->rewritten, &rewritten}}) {
        const Result<CompileResult> compiled = compile(*variant, machine);
        if (!compiled)
            return tl::unexpected(compiled.error());
        if (!compiled->succeeded())
            return undecided("Slang does not compile it with double: " + first_error(*compiled));
        kernels.push_back(kernel_of(*module, *compiled, machine));
    }
    VerifyOptions exact = options;
    exact.tolerance = verify::DoubleVariants::tolerance;
    Result<VerifyResult> decided =
        verifier_.compare(kernels[0], kernels[1], result.entry_point, exact);
    if (!decided)
        return tl::unexpected(decided.error());
    if (hidden && decided->verdict == Verdict::different) {
        decided->reason += ", in 64 bits; in 32 bits the rest of the buffer hides it";
        result = std::move(*decided);
        return {};
    }
    switch (decided->verdict) {
    case Verdict::equal:
    case Verdict::unverified:
        decided->reason +=
            fmt::format(" in 64 bits; in 32 bits they round differently (largest relative error "
                        "{:.2g})",
                        result.largest_error);
        decided->largest_error = result.largest_error;
        decided->bit_equal = false;
        result = std::move(*decided);
        return {};
    case Verdict::different:
        result.reason += "; in 64 bits, too";
        return {};
    default:
        return undecided(decided->reason);
    }
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
    const Result<const Side*> here = side(original, primary);
    const Result<const Side*> there = side(original, other);
    if (!here || !there)
        return tl::unexpected((here ? there : here).error());
    VerifyOptions quiet = options;
    quiet.loops_are_all = false;
    quiet.loops.clear(); // covered, or not, on the primary machine
    quiet.branches.clear();
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
        report(StepState::failed, agree->reason);
        result.verdict = Verdict::unverified;
        result.reason = fmt::format("the original's {} and {} text do not compute the same: {}",
                                    name(primary), name(other), agree->reason);
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
    if (const auto done = decide_in_double(other, original, rewritten, again, *own); !done)
        return tl::unexpected(done.error());
    const bool bad = own->verdict == Verdict::different ||
                     own->verdict == Verdict::rewritten_wrong ||
                     own->verdict == Verdict::original_wrong;
    if (!bad) {
        for (const StepReport& step : own->steps)
            if (step.step == Step::threads)
                result.steps.push_back(step);
        result.conflict = own->conflict;
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

Result<std::vector<verify::DifferentiatedCall>>
ModuleVerifier::derivatives(Machine machine, const ModuleView& module,
                            const VerifyOptions& options, const VerifyResult& result) {
    const Result<const Side*> compiled = side(module, machine);
    if (!compiled)
        return tl::unexpected(compiled.error());
    verify::DerivativeRequest request;
    request.variant = &module.source;
    request.model = module.model;
    request.reflection = &(*compiled)->kernel.reflection;
    request.entry_point = result.entry_point;
    request.machine = machine;
    request.options = &options;
    request.defaults = result.defaults;
    request.elements = result.elements;
    return verify::check_derivatives(compiler_, verifier_.libraries(), verifier_.runner(), request);
}

Result<void> ModuleVerifier::judge_derivatives(Machine machine, const ModuleView& original,
                                               const ModuleView& rewritten,
                                               const VerifyOptions& options,
                                               VerifyResult& result) {
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
        result.reason += fmt::format("; the original's gradients agree with central differences{}",
                                     rewritten_says.kind == Kind::cannot_tell
                                         ? ""
                                         : ", the rewritten kernel's do not");
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
    }
    if (result.verdict != Verdict::equal && result.verdict != Verdict::unverified)
        return result;
    if (result.not_finite) // nothing that such inputs show would count
        return result;
    const Result<std::vector<Machine>> available = machines(module, entry_point);
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
    case Kind::cut:
    case Kind::cannot_tell:
        result.verdict = Verdict::unverified;
        break;
    }
    result.reason = says.reason;
    result.place = says.place;
    return result;
}

Result<void> ModuleVerifier::confirm_on_device(const ModuleView& original,
                                               const ModuleView& rewritten,
                                               const VerifyOptions& options,
                                               VerifyResult& result) {
    if (!options.device)
        return {};
    const auto skip = [&](StepState state, std::string why) -> Result<void> {
        result.steps.push_back({Step::device, state, std::move(why), {}});
        return {};
    };
    if (!stayed_inside(result)) // it may write anywhere
        return skip(StepState::not_run, "on the host it did not run to its end with every index inside");
    const Result<const Side*> before = side(original, Machine::cuda);
    const Result<const Side*> after = side(rewritten, Machine::cuda);
    if (!before || !after)
        return tl::unexpected((before ? after : before).error());
    for (const Side* side : {*before, *after})
        if (!side->problem.empty() || !has_entry_point(side->kernel, result.entry_point))
            return skip(StepState::not_applicable, "the CUDA text has no such kernel");
    const verify::DeviceComparison device = verify::compare_on_device(
        verifier_.libraries(), verifier_.runner(),
        {&(*before)->kernel, &(*after)->kernel, &options, &result});
    result.steps.push_back(device.step);
    const bool alone = &original == &rewritten;
    if (device.step.state == StepState::passed && result.verdict == Verdict::different)
        result.reason += "; on the device they are equal";
    if (device.step.state != StepState::failed)
        return {};
    if (alone && result.verdict == Verdict::right) {
        result.verdict = Verdict::unverified;
        result.reason = "the device does not compute what the host does: " + device.step.detail;
    } else if (!alone &&
               (result.verdict == Verdict::equal || result.verdict == Verdict::unverified)) {
        result.verdict = device.difference ? Verdict::different : Verdict::rewritten_wrong;
        result.reason = "on the device: " + device.step.detail;
        result.difference = device.difference;
    }
    return {};
}

Result<VerifyResult> ModuleVerifier::verify_entry(const ModuleView& original,
                                                  const ModuleView& rewritten,
                                                  const std::string& entry_point,
                                                  const VerifyOptions& options,
                                                  const Promises& promises) {
    const VerifyOptions own = options_for(original, rewritten, entry_point, options, promises);
    Result<VerifyResult> result = &original == &rewritten
                                      ? check_entry(original, entry_point, own)
                                      : compare_entry(original, rewritten, entry_point, own);
    if (!result)
        return result;
    if (const auto done = confirm_on_device(original, rewritten, own, *result); !done)
        return tl::unexpected(done.error());
    sort_steps(*result);
    return result;
}

Result<void> ModuleVerifier::verify_exports(const ModuleView& original, const ModuleView& rewritten,
                                            const VerifyOptions& options, const Promises& promises,
                                            std::vector<VerifyResult>& results) {
    const std::set<std::string> backward = backward_exports(*original.cuda);
    if (backward.empty())
        return {};
    using Module = Result<std::optional<verify::ExportModule>>;
    const Module before = verify::compile_export_module(compiler_, original.source, *original.model);
    if (!before)
        return tl::unexpected(before.error());
    const bool alone = &original == &rewritten;
    Module other;
    if (!alone)
        other = verify::compile_export_module(compiler_, rewritten.source, *rewritten.model);
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
            result->reason = "an entry point that calls it does not compile: " + first_error(*first.cuda);
        else
            result = verify_entry(first, alone ? first : second, function.entry_point, options, promises);
        if (!result)
            return tl::unexpected(result.error());
        result->entry_point = function.name;
        results.push_back(std::move(*result));
    }
    return {};
}

Result<std::vector<VerifyResult>> ModuleVerifier::compare(const ModuleView& original,
                                                          const ModuleView& rewritten,
                                                          const VerifyOptions& options,
                                                          const Promises& promises) {
    std::vector<VerifyResult> results;
    for (const std::string& entry_point : backward_entry_points(*original.cuda)) {
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
