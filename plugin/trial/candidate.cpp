#include "plugin/trial/candidate.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <tuple>

namespace slimgrad {

namespace {

/// "gradMain: registers 255 -> 96": the kernel in which the deciding figure changes most.
std::string describe(const Comparison& comparison, const Figures& before, const Figures& after) {
    const Figure figure = comparison.decided_by;
    std::string kernel;
    std::uint64_t from = value(before, figure), to = value(after, figure), largest = 0;
    for (const KernelFigures& b : before.kernels) {
        for (const KernelFigures& a : after.kernels) {
            if (a.name != b.name ||
                (comparison.forward_regression && a.direction != Direction::forward))
                continue;
            const std::uint64_t x = value(b, figure), y = value(a, figure),
                                change = x > y ? x - y : y - x;
            if (change > largest) {
                kernel = a.name + ": ";
                std::tie(from, to, largest) = std::tuple(x, y, change);
            }
        }
    }
    return fmt::format(
        "{}{} {} -> {}{}", kernel, name(figure), from, to,
        comparison.forward_regression ? ", a forward kernel (--allow-forward-regression)" : "");
}

std::ptrdiff_t count(const Trial& trial, const std::string& code) {
    std::ptrdiff_t times = 0;
    for (const Variant* variant : trial.variants)
        times += std::count_if(variant->cuda.diagnostics.begin(), variant->cuda.diagnostics.end(),
                               [&](const Diagnostic& d) { return d.code == code; });
    return times;
}

void reject(Candidate& candidate, Outcome outcome, std::string why) {
    candidate.tried.outcome = outcome;
    candidate.tried.why = std::move(why);
}

/// The first module that a compiler did not get through. One of several may have no kernel at all.
const Variant* failed_variant(const Trial& trial) {
    for (const Variant* variant : trial.variants)
        if (!variant->measured() && (trial.variants.size() == 1 || !variant->cuda.succeeded() ||
                                     !variant->cuda.code.empty()))
            return variant;
    return nullptr;
}

/// What Slang alone decides against it.
std::optional<Judgement> refused_by_slang(const Trial& current, const Trial& trial,
                                          bool repairs_error) {
    if (!trial.compiled())
        return Judgement{without_figures(trial), failure_of(trial)};
    if (repairs_error)
        return std::nullopt;
    if (const Diagnostic* warning = new_warning(current, trial))
        return Judgement{Outcome::new_warning,
                         fmt::format("slangc would warn: {} {}", warning->code, warning->message)};
    return std::nullopt;
}

Judgement judge_figures(const TrialOptions& options, const Trial& current, const Trial& trial,
                        bool repairs_error) {
    if (!trial.measured())
        return {without_figures(trial), failure_of(trial)};
    if (!repairs_error && count_errors(trial) > count_errors(current)) {
        Judgement worse{Outcome::worse, ""};
        for (const Finding& finding : trial.findings)
            if (finding.severity == Severity::error)
                worse.why = "it would bring a new error: " + finding.message;
        return worse;
    }
    const Figures before = current.figures(), after = trial.figures();
    const Comparison comparison = compare(before, after, options.objective);
    if (comparison.change == Change::same)
        return {Outcome::no_effect,
                options.objective.budget.empty() ? "no figure changes" : "no nearer to the budget"};
    return {comparison.change == Change::worse         ? Outcome::worse
            : comparison.minor && !options.minor_fixes ? Outcome::minor
                                                       : Outcome::applied,
            describe(comparison, before, after)};
}

} // namespace

Outcome without_figures(const Trial& trial) {
    const Variant* variant = failed_variant(trial);
    return variant && (variant->cuda.status == CompileStatus::killed ||
                       (variant->nvcc && variant->nvcc->status == NvccStatus::killed))
               ? Outcome::not_measured
               : Outcome::does_not_compile;
}

bool improves(const TrialOptions& options, const Figures& before, const Figures& after) {
    const Comparison comparison = compare(before, after, options.objective);
    return comparison.change == Change::better && (!comparison.minor || options.minor_fixes);
}

bool is_hopeless(const TriedFix& tried) {
    constexpr std::uint64_t largest_growth = 4;
    return tried.outcome == Outcome::does_not_compile ||
           (tried.outcome == Outcome::worse && tried.evidence.after &&
            value(*tried.evidence.after, Figure::code_bytes) >
                largest_growth * value(tried.evidence.before, Figure::code_bytes));
}

std::string key(const Finding& finding, const Fix& fix) {
    return finding.rule + "\n" + fix.description;
}

std::size_t count_errors(const Trial& trial) {
    return std::size_t(
        std::count_if(trial.findings.begin(), trial.findings.end(),
                      [](const Finding& f) { return f.severity == Severity::error; }));
}

std::string failure_of(const Trial& trial) {
    const Variant* variant = failed_variant(trial);
    if (!variant)
        return "";
    if (variant->cuda.succeeded())
        return "nvcc: " + (variant->nvcc ? variant->nvcc->detail : std::string("no code"));
    for (const Diagnostic& diagnostic : variant->cuda.diagnostics)
        if (diagnostic.severity == DiagnosticSeverity::error)
            return "slangc: " + diagnostic.message;
    return "slangc: " + variant->cuda.detail;
}

Result<FileTexts> with_edits(const Trial& trial, const std::vector<SourceEdit>& edits) {
    FileTexts texts;
    for (const Variant* variant : trial.variants)
        for (const SourceFile& file : variant->model.files)
            texts.emplace(file.path(), file.text());
    // Where several insert at one place, what is declared there goes above the attributes of what
    // follows: these stay with it.
    std::vector<SourceEdit> ordered = edits;
    std::stable_partition(ordered.begin(), ordered.end(), [](const SourceEdit& edit) {
        return edit.text.find('}') != edit.text.npos;
    });
    Result<FileTexts> changed = apply_edits(texts, ordered);
    if (!changed)
        return changed;
    FileTexts overlay = trial.texts;
    for (auto& [path, text] : *changed)
        overlay[path] = std::move(text);
    return overlay;
}

Judgement judge(const TrialOptions& options, const Trial& current, const Trial& trial) {
    const auto refused = refused_by_slang(current, trial, false);
    return refused ? *refused : judge_figures(options, current, trial, false);
}

bool same_result(const Trial& a, const Trial& b) {
    const auto same_contexts = [](const CheckpointContext& x, const CheckpointContext& y) {
        return x.function == y.function && x.bytes == y.bytes;
    };
    return std::equal(
        a.variants.begin(), a.variants.end(), b.variants.begin(), b.variants.end(),
        [&](const Variant* x, const Variant* y) {
            const auto &of_x = x->cuda.contexts, &of_y = y->cuda.contexts;
            return x == y ||
                   (x->measured() && y->measured() && x->nvcc->kernels == y->nvcc->kernels &&
                    std::equal(of_x.begin(), of_x.end(), of_y.begin(), of_y.end(), same_contexts));
        });
}

namespace {

/// The same for some of the offers, with their results from `first` on.
Result<void> attempt(TrialLab& lab, const TrialOptions& options, const Trial& current,
                     std::vector<Candidate>& candidates, std::size_t first, std::size_t last) {
    std::vector<FileTexts> texts;    // to compile: those of candidates, then their probes
    std::vector<std::size_t> owners; // whose they are
    for (std::size_t i = first; i < last; ++i) {
        Result<FileTexts> edited = with_edits(current, candidates[i].tried.fix.edits);
        if (!edited) {
            reject(candidates[i], Outcome::not_combined, edited.error().message);
            continue;
        }
        texts.push_back(std::move(*edited));
        owners.push_back(i);
    }
    const std::size_t own = texts.size();
    for (std::size_t i = 0; i < own; ++i) {
        const Fix& fix = candidates[owners[i]].tried.fix;
        if (fix.probe.empty())
            continue;
        if (Result<FileTexts> probe = with_edits(current, fix.probe)) {
            texts.push_back(std::move(*probe));
            owners.push_back(owners[i]);
        }
    }
    const auto compiled = lab.compile(texts);
    if (!compiled)
        return tl::unexpected(compiled.error());

    const auto repairs_error = [](const Candidate& candidate) {
        return candidate.tried.finding.severity == Severity::error;
    };
    std::set<std::size_t> goes_on;
    for (std::size_t i = 0; i < own; ++i) {
        Candidate& candidate = candidates[owners[i]];
        candidate.trial = (*compiled)[i];
        if (auto refused = refused_by_slang(current, *candidate.trial, repairs_error(candidate)))
            reject(candidate, refused->outcome, std::move(refused->why));
        else
            goes_on.insert(owners[i]);
    }
    for (std::size_t i = own; i < texts.size(); ++i) {
        Candidate& candidate = candidates[owners[i]];
        const std::string& code = candidate.tried.fix.probe_code;
        if (count(*(*compiled)[i], code) > count(current, code)) {
            candidate.trial = nullptr;
            goes_on.erase(owners[i]);
            reject(candidate, Outcome::new_warning,
                   fmt::format("slangc sees side effects that slimgrad does not ({})", code));
        }
    }
    std::vector<const Trial*> to_measure;
    for (const std::size_t i : goes_on)
        to_measure.push_back(candidates[i].trial);
    if (const auto measured = lab.measure(to_measure); !measured)
        return tl::unexpected(measured.error());
    for (const std::size_t i : goes_on) {
        Candidate& candidate = candidates[i];
        if (candidate.trial->measured())
            candidate.tried.evidence.after = candidate.trial->figures();
        Judgement judgement =
            judge_figures(options, current, *candidate.trial, repairs_error(candidate));
        reject(candidate, judgement.outcome, std::move(judgement.why));
    }
    return {};
}

} // namespace

Result<std::vector<Candidate>> attempt(TrialLab& lab, const TrialOptions& options,
                                       const Trial& current, const std::vector<Offer>& offers) {
    std::vector<Candidate> candidates(offers.size());
    const Figures before = current.figures();
    for (std::size_t i = 0; i < offers.size(); ++i)
        candidates[i].tried = {
            *offers[i].finding, *offers[i].fix, Outcome::no_effect, "", {before, {}, {}}};
    for (std::size_t first = 0, last = 0; first < offers.size(); first = last) {
        if (options.searching && first > 0 && lab.spent() >= options.search_time()) {
            for (std::size_t i = first; i < offers.size(); ++i) {
                candidates[i].out_of_time = true;
                reject(candidates[i], Outcome::not_combined, "no time was left to try it");
            }
            break;
        }
        const std::size_t left = offers.size() - first;
        last = first + (options.searching ? std::min(left, lab.trials_before(options.search_time()))
                                          : left);
        if (options.searching)
            lab.progress(offers[first].fix->description);
        if (const auto done = attempt(lab, options, current, candidates, first, last); !done)
            return tl::unexpected(done.error());
    }
    return candidates;
}

} // namespace slimgrad
