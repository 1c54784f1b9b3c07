#include "plugin/trial/candidate.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
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

std::ptrdiff_t count(const Trial& trial, const Diagnostic& warning) {
    std::ptrdiff_t times = 0;
    for (const Variant* variant : trial.variants)
        times += std::count_if(variant->cuda.diagnostics.begin(), variant->cuda.diagnostics.end(),
                               [&](const Diagnostic& d) {
                                   return d.severity == warning.severity &&
                                          d.code == warning.code && d.message == warning.message;
                               });
    return times;
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

/// What Slang alone decides. True: it goes on.
bool passes_slang(const Trial& current, Candidate& candidate) {
    if (!candidate.trial->compiled()) {
        reject(candidate, Outcome::does_not_compile, failure_of(*candidate.trial));
        return false;
    }
    if (candidate.tried.finding.severity == Severity::error)
        return true;
    if (const Diagnostic* warning = new_warning(current, *candidate.trial)) {
        reject(candidate, Outcome::new_warning,
               fmt::format("slangc would warn: {} {}", warning->code, warning->message));
        return false;
    }
    return true;
}

void judge_figures(const TrialOptions& options, const Trial& current, Candidate& candidate) {
    TriedFix& tried = candidate.tried;
    if (!candidate.trial->measured()) {
        reject(candidate, Outcome::does_not_compile, failure_of(*candidate.trial));
        return;
    }
    tried.evidence.after = candidate.trial->figures();
    if (tried.finding.severity != Severity::error &&
        count_errors(*candidate.trial) > count_errors(current)) {
        reject(candidate, Outcome::worse, "");
        for (const Finding& finding : candidate.trial->findings)
            if (finding.severity == Severity::error)
                tried.why = "it would bring a new error: " + finding.message;
        return;
    }
    candidate.comparison = compare(tried.evidence.before, *tried.evidence.after, options.objective);
    const Comparison& comparison = candidate.comparison;
    if (comparison.change == Change::same) {
        reject(candidate, Outcome::no_effect,
               options.objective.budget.empty() ? "no figure changes" : "no nearer to the budget");
        return;
    }
    reject(candidate,
           comparison.change == Change::worse         ? Outcome::worse
           : comparison.minor && !options.minor_fixes ? Outcome::minor
                                                      : Outcome::applied,
           describe(comparison, tried.evidence.before, *tried.evidence.after));
}

} // namespace

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

const Diagnostic* new_warning(const Trial& before, const Trial& after) {
    for (const Variant* variant : after.variants)
        for (const Diagnostic& diagnostic : variant->cuda.diagnostics)
            if (diagnostic.severity == DiagnosticSeverity::warning &&
                count(after, diagnostic) > count(before, diagnostic))
                return &diagnostic;
    return nullptr;
}

std::string failure_of(const Trial& trial) {
    for (const Variant* variant : trial.variants) {
        if (!variant->cuda.succeeded()) {
            for (const Diagnostic& diagnostic : variant->cuda.diagnostics) {
                if (diagnostic.severity == DiagnosticSeverity::error)
                    return "slangc: " + diagnostic.message;
            }
            return "slangc: " + variant->cuda.detail;
        }
        if (!variant->measured())
            return "nvcc: " + (variant->nvcc ? variant->nvcc->detail : std::string("no code"));
    }
    return "";
}

Result<FileTexts> with_edits(const Trial& trial, const std::vector<SourceEdit>& edits) {
    FileTexts texts;
    for (const Variant* variant : trial.variants)
        for (const SourceFile& file : variant->model.files)
            texts.emplace(file.path(), file.text());
    Result<FileTexts> changed = apply_edits(texts, edits);
    if (!changed)
        return changed;
    FileTexts overlay = trial.texts;
    for (auto& [path, text] : *changed)
        overlay[path] = std::move(text);
    return overlay;
}

Result<std::vector<Candidate>> attempt(TrialLab& lab, const TrialOptions& options,
                                       const Trial& current, const std::vector<Offer>& offers) {
    std::vector<Candidate> candidates(offers.size());
    std::vector<FileTexts> texts;    // to compile: those of candidates, then their probes
    std::vector<std::size_t> owners; // whose they are
    const Figures before = current.figures();
    for (std::size_t i = 0; i < offers.size(); ++i) {
        candidates[i].tried = {
            *offers[i].finding, *offers[i].fix, Outcome::no_effect, "", {before, {}, {}}};
        Result<FileTexts> edited = with_edits(current, offers[i].fix->edits);
        if (!edited) {
            reject(candidates[i], Outcome::not_combined, edited.error().message);
            continue;
        }
        texts.push_back(std::move(*edited));
        owners.push_back(i);
    }
    const std::size_t own = texts.size();
    for (std::size_t i = 0; i < own; ++i) {
        const Fix& fix = *offers[owners[i]].fix;
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

    std::vector<bool> goes_on(offers.size(), false);
    for (std::size_t i = 0; i < own; ++i) {
        Candidate& candidate = candidates[owners[i]];
        candidate.trial = (*compiled)[i];
        goes_on[owners[i]] = passes_slang(current, candidate);
    }
    for (std::size_t i = own; i < texts.size(); ++i) {
        Candidate& candidate = candidates[owners[i]];
        const std::string& code = candidate.tried.fix.probe_code;
        if (count(*(*compiled)[i], code) > count(current, code)) {
            candidate.trial = nullptr;
            goes_on[owners[i]] = false;
            reject(candidate, Outcome::new_warning,
                   fmt::format("slangc sees side effects that slimgrad does not ({})", code));
        }
    }
    std::vector<const Trial*> to_measure;
    for (std::size_t i = 0; i < candidates.size(); ++i)
        if (goes_on[i])
            to_measure.push_back(candidates[i].trial);
    if (const auto measured = lab.measure(to_measure); !measured)
        return tl::unexpected(measured.error());
    for (std::size_t i = 0; i < candidates.size(); ++i)
        if (goes_on[i])
            judge_figures(options, current, candidates[i]);
    return candidates;
}

} // namespace slimgrad
