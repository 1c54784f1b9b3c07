#include "plugin/trial/candidate.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
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
            const std::uint64_t x = value(b, figure), y = value(a, figure),
                                change = x > y ? x - y : y - x;
            if (a.name == b.name && change > largest) {
                kernel = a.name + ": ";
                std::tie(from, to, largest) = std::tuple(x, y, change);
            }
        }
    }
    return fmt::format("{}{} {} -> {}", kernel, name(figure), from, to);
}

/// The variant's changed texts after `edits`.
Result<FileTexts> edited(const Variant& variant, const std::vector<SourceEdit>& edits) {
    FileTexts texts;
    for (const SourceFile& file : variant.model.files)
        texts.emplace(file.path(), file.text());
    Result<FileTexts> changed = apply_edits(texts, edits);
    if (!changed)
        return changed;
    FileTexts overlay = variant.texts;
    for (auto& [path, text] : *changed)
        overlay[path] = std::move(text);
    return overlay;
}

} // namespace

std::size_t count_errors(const Variant& variant) {
    return std::size_t(
        std::count_if(variant.findings.begin(), variant.findings.end(),
                      [](const Finding& f) { return f.severity == Severity::error; }));
}

const Diagnostic* new_warning(const Variant& before, const Variant& after) {
    const auto count = [](const Variant& variant, const Diagnostic& warning) {
        return std::count_if(variant.cuda.diagnostics.begin(), variant.cuda.diagnostics.end(),
                             [&](const Diagnostic& d) {
                                 return d.severity == warning.severity && d.code == warning.code &&
                                        d.message == warning.message;
                             });
    };
    for (const Diagnostic& diagnostic : after.cuda.diagnostics) {
        if (diagnostic.severity == DiagnosticSeverity::warning &&
            count(after, diagnostic) > count(before, diagnostic))
            return &diagnostic;
    }
    return nullptr;
}

std::string failure_of(const Variant& variant) {
    if (!variant.cuda.succeeded()) {
        for (const Diagnostic& diagnostic : variant.cuda.diagnostics) {
            if (diagnostic.severity == DiagnosticSeverity::error)
                return "slangc: " + diagnostic.message;
        }
        return "slangc: " + variant.cuda.detail;
    }
    return "nvcc: " + (variant.nvcc ? variant.nvcc->detail : std::string("no code"));
}

Result<const Variant*> with_edits(VariantLab& lab, const Variant& variant,
                                  const std::vector<SourceEdit>& edits, std::string& why) {
    const Result<FileTexts> texts = edited(variant, edits);
    if (!texts) {
        why = texts.error().message;
        return nullptr;
    }
    return lab.examine(*texts);
}

Result<Candidate> attempt(VariantLab& lab, const TrialOptions& options, const Variant& current,
                          const Finding& finding, const Fix& fix) {
    Candidate candidate;
    candidate.tried.finding = finding;
    candidate.tried.fix = fix;
    candidate.tried.evidence.before = current.figures();
    if (!fix.probe.empty()) {
        if (const Result<FileTexts> probe = edited(current, fix.probe)) {
            const Result<bool> warns = lab.warns_more(current, *probe, fix.probe_code);
            if (!warns)
                return tl::unexpected(warns.error());
            if (*warns) {
                candidate.tried.outcome = Outcome::new_warning;
                candidate.tried.why = fmt::format(
                    "slangc sees side effects that slimgrad does not ({})", fix.probe_code);
                return candidate;
            }
        }
    }
    std::string why;
    const auto variant = with_edits(lab, current, fix.edits, why);
    if (!variant)
        return tl::unexpected(variant.error());
    candidate.variant = *variant;
    if (!candidate.variant) {
        candidate.tried.outcome = Outcome::not_combined;
        candidate.tried.why = why;
        return candidate;
    }
    if (!candidate.variant->measured()) {
        candidate.tried.outcome = Outcome::does_not_compile;
        candidate.tried.why = failure_of(*candidate.variant);
        return candidate;
    }
    candidate.tried.evidence.after = candidate.variant->figures();
    if (finding.severity != Severity::error) {
        if (const Diagnostic* warning = new_warning(current, *candidate.variant)) {
            candidate.tried.outcome = Outcome::new_warning;
            candidate.tried.why =
                fmt::format("slangc would warn: {} {}", warning->code, warning->message);
            return candidate;
        }
        if (count_errors(*candidate.variant) > count_errors(current)) {
            candidate.tried.outcome = Outcome::worse;
            for (const Finding& f : candidate.variant->findings) {
                if (f.severity == Severity::error)
                    candidate.tried.why = "it would bring a new error: " + f.message;
            }
            return candidate;
        }
    }
    candidate.comparison =
        compare(candidate.tried.evidence.before, *candidate.tried.evidence.after);
    switch (candidate.comparison.change) {
    case Change::better:
        candidate.tried.outcome =
            candidate.comparison.minor && !options.minor_fixes ? Outcome::minor : Outcome::applied;
        break;
    case Change::worse:
        candidate.tried.outcome = Outcome::worse;
        break;
    case Change::same:
        candidate.tried.outcome = Outcome::no_effect;
        break;
    }
    candidate.tried.why = candidate.comparison.change == Change::same
                              ? "no figure changes"
                              : describe(candidate.comparison, candidate.tried.evidence.before,
                                         *candidate.tried.evidence.after);
    return candidate;
}

} // namespace slimgrad
