#include "plugin/cli/finding_view.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {
namespace {

/// What a trial's outcome makes of the finding; the better state wins.
FindingState state_of(const TriedFix& tried) {
    switch (tried.outcome) {
    case Outcome::applied:
        return FindingState::fixed;
    case Outcome::minor:
        return FindingState::minor;
    case Outcome::needs_consent:
        return FindingState::unsafe;
    case Outcome::no_effect:
    case Outcome::worse:
    case Outcome::does_not_compile:
    case Outcome::new_warning:
    case Outcome::gradient_differs:
    case Outcome::not_combined:
        break;
    case Outcome::not_measured:
    case Outcome::withdrawn:
    case Outcome::unverified:
        return FindingState::open; // it would have paid, or may: worth telling
    }
    return tried.finding.severity == Severity::cost ? FindingState::no_gain : FindingState::open;
}

int rank(FindingState state) {
    switch (state) {
    case FindingState::fixed:
        return 0;
    case FindingState::unsafe:
        return 1;
    case FindingState::minor:
        return 2;
    case FindingState::open:
        return 3;
    case FindingState::no_gain:
        return 4;
    }
    return 4;
}

/// The finding that a trial answers. Fixes are tried on top of each other, and edits move places:
/// what stays is the rule and the fix's description. Of several such findings it is the one at the
/// trial's place, else the first.
std::vector<FindingView>::iterator find_answered(std::vector<FindingView>& views,
                                                 const TriedFix& tried) {
    const auto offers_fix = [&](const FindingView& view) {
        const std::vector<Fix>& fixes = view.finding.fixes;
        return view.finding.rule == tried.finding.rule &&
               view.finding.place.file == tried.finding.place.file &&
               std::any_of(fixes.begin(), fixes.end(), [&](const Fix& fix) {
                   return fix.description == tried.fix.description;
               });
    };
    const auto exact = std::find_if(views.begin(), views.end(), [&](const FindingView& view) {
        return offers_fix(view) && view.finding.place == tried.finding.place;
    });
    return exact != views.end() ? exact : std::find_if(views.begin(), views.end(), offers_fix);
}

void add_trial(FindingView& view, const TriedFix& tried) {
    const FindingState state = state_of(tried);
    const bool answers = rank(state) <= rank(FindingState::minor);
    if (!answers || (view.chosen && rank(state) >= rank(view.state))) {
        view.rejected.push_back(&tried);
        if (!view.chosen && (view.rejected.size() == 1 || state == FindingState::open))
            view.state = state;
        return;
    }
    if (view.chosen)
        view.rejected.push_back(view.chosen);
    view.chosen = &tried;
    view.state = state;
}

Finding compiler_finding(const ModuleReport& report, std::string detail) {
    Finding finding;
    finding.rule = "compiler";
    finding.severity = Severity::error;
    finding.place.file = report.file;
    finding.message = std::move(detail);
    std::replace(finding.message.begin(), finding.message.end(), '\n', ' ');
    return finding;
}

void add_compiler_findings(const ModuleReport& report, std::vector<FindingView>& views) {
    const CompileResult& compiled = report.compiled;
    if (!compiled.succeeded()) {
        bool named = false;
        for (const Diagnostic& diagnostic : compiled.diagnostics) {
            if (diagnostic.severity != DiagnosticSeverity::error)
                continue;
            // A rule that answers the compiler's error says it better, and once.
            const bool answered =
                std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& f) {
                    return f.severity == Severity::error && f.place == diagnostic.place;
                });
            named = named || answered;
            if (answered)
                continue;
            Finding finding = compiler_finding(report, diagnostic.message);
            if (!diagnostic.code.empty())
                finding.message += " (" + diagnostic.code + ")";
            if (!diagnostic.place.file.empty())
                finding.place = diagnostic.place;
            views.push_back({std::move(finding), FindingState::open, nullptr, {}});
            named = true;
        }
        // The diagnostics of a refusal say it all; what a compiler said before it died does not.
        const bool finished =
            compiled.status == CompileStatus::rejected || compiled.status == CompileStatus::refused;
        if (!named || !finished)
            views.push_back(
                {compiler_finding(report, compiled.detail), FindingState::open, nullptr, {}});
    }
    // Text that nvcc rejects is the rule emitted-code's; how else nvcc may end is no rule's.
    if (report.cuda && !report.cuda->succeeded() && report.cuda->status != NvccStatus::rejected)
        views.push_back({compiler_finding(report, "nvcc: " + report.cuda->detail),
                         FindingState::open,
                         nullptr,
                         {}});
}

/// An error that is gone with the fixes of other findings: another rule's repaired it, or made the
/// module compile. What running the kernels shows is not looked at again after a fix.
bool is_gone(const FindingView& view, const ModuleReport& report) {
    if (view.finding.rule == "wrong-gradient" || view.finding.rule == "no-gradient")
        return false;
    return view.finding.severity == Severity::error && view.state == FindingState::open &&
           report.after &&
           std::none_of(report.left.begin(), report.left.end(), [&](const Finding& left) {
               return left.rule == view.finding.rule && left.severity == Severity::error;
           });
}

} // namespace

Severity FindingView::severity() const {
    const bool minor_cost = finding.severity == Severity::cost && state == FindingState::minor;
    return minor_cost ? Severity::note : finding.severity;
}

bool FindingView::counts() const {
    return severity() == Severity::error ||
           (severity() == Severity::cost && state != FindingState::no_gain);
}

bool compiler_failed(const ModuleReport& report) {
    // A module that compiles with its fixes was examined.
    return (!report.compiled.succeeded() && !report.after) ||
           (report.cuda && !report.cuda->succeeded() &&
            report.cuda->status != NvccStatus::rejected);
}

bool is_incomplete(const ModuleReport& report) {
    return std::any_of(report.tried.begin(), report.tried.end(), [](const TriedFix& tried) {
        return tried.outcome == Outcome::not_measured;
    });
}

bool is_rejected(const ModuleReport& report) {
    return report.compiled.status == CompileStatus::rejected && !report.after;
}

std::vector<FindingView> view_findings(const ModuleReport& report) {
    std::vector<FindingView> views;
    add_compiler_findings(report, views);
    for (const Finding& finding : report.findings)
        views.push_back({finding, FindingState::open, nullptr, {}});
    // Why there is no more comes first; a brace that is not closed before what slangc makes of it.
    const auto keeps_from_compiling = [&](const FindingView& view) {
        return view.finding.rule == "compiler" ||
               (view.finding.rule == "syntax-error" && is_rejected(report));
    };
    const auto rest = std::stable_partition(views.begin(), views.end(), keeps_from_compiling);
    std::stable_sort(views.begin(), rest, [](const FindingView& a, const FindingView& b) {
        return a.finding.place < b.finding.place;
    });
    for (const TriedFix& tried : report.tried) {
        auto view = find_answered(views, tried);
        if (view == views.end())
            view = views.insert(views.end(), {tried.finding, FindingState::open, nullptr, {}});
        add_trial(*view, tried);
    }
    for (FindingView& view : views)
        if (is_gone(view, report))
            view.state = FindingState::fixed;
    return views;
}

std::string_view name(Outcome outcome) {
    switch (outcome) {
    case Outcome::applied:
        return "applied";
    case Outcome::minor:
        return "minor";
    case Outcome::needs_consent:
        return "unsafe";
    case Outcome::no_effect:
        return "no effect";
    case Outcome::worse:
        return "worse";
    case Outcome::does_not_compile:
        return "does not compile";
    case Outcome::not_measured:
        return "not measured";
    case Outcome::gradient_differs:
        return "gradient differs";
    case Outcome::new_warning:
        return "new warning";
    case Outcome::unverified:
        return "unverified";
    case Outcome::not_combined:
        return "not combined";
    case Outcome::withdrawn:
        return "withdrawn";
    }
    return "";
}

std::string_view name(FindingState state) {
    switch (state) {
    case FindingState::fixed:
        return "fixed";
    case FindingState::minor:
        return "minor";
    case FindingState::unsafe:
        return "unsafe";
    case FindingState::open:
        return "open";
    case FindingState::no_gain:
        return "no_gain";
    }
    return "";
}

} // namespace slimgrad
