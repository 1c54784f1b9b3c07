#include "plugin/cli/tune_report.h"

#include "plugin/cli/finding_view.h"
#include "plugin/cli/json_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

namespace slimgrad {
namespace {

using Lines = std::back_insert_iterator<std::string>;
using Json = nlohmann::ordered_json;

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string seconds(std::chrono::milliseconds time) {
    return fmt::format("{:.1f} s", double(time.count()) / 1000);
}

/// "3 have no effect, 2 are worse".
std::string outcomes_text(const std::vector<TriedFix>& tried) {
    std::map<Outcome, std::size_t> counts;
    for (const TriedFix& fix : tried)
        ++counts[fix.outcome];
    std::vector<std::string> parts;
    for (const auto& [outcome, count] : counts)
        parts.push_back(fmt::format("{} {}", count, name(outcome)));
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// Why nothing is kept.
std::string no_gain_text(const TuneRun& run) {
    const TuneReport& report = *run.report;
    const Objective& objective = run.modules.front().settings.options.objective;
    if (!run.withdrawn.empty())
        return run.withdrawn;
    if (!objective.budget.empty() && excess(report.before, objective) == 0)
        return "the budget is met already";
    if (report.tried.empty())
        return "no rule offers a fix (`slimgrad check --why` tells what it saw)";
    return fmt::format("{} tried: {}", counted(report.tried.size(), "fix", "fixes"),
                       outcomes_text(report.tried));
}

std::string kept_text(const TriedFix& kept, const Figures& before, const TextOptions& options) {
    std::string text = fmt::format("    {}{}{}: {}: {} [{}]\n", options.style.good(),
                                   options.applying ? "fixed" : "fix", options.style.reset(),
                                   printable(short_form(kept.finding.place)),
                                   printable(kept.fix.description), kept.finding.rule);
    if (!kept.fix.condition.empty())
        fmt::format_to(Lines(text), "        holds only if {}\n", printable(kept.fix.condition));
    if (options.why && kept.evidence.after)
        text += comparison_text(kept.evidence.before, *kept.evidence.after,
                                same_figures(kept.evidence.before, before)
                                    ? "        alone: "
                                    : "        on top of others: ");
    return text;
}

/// Of the last fix on top of the others; what is part of the result is another matter.
std::string_view outcome_name(const TriedCombination& tried) {
    return tried.outcome == Outcome::applied ? "better" : name(tried.outcome);
}

std::string combination_text(const TriedCombination& tried, const Figures& before,
                             const TextOptions& options) {
    std::string text = fmt::format(
        "    {}tried{}: {}: {}{}{}\n", options.style.dim(), options.style.reset(),
        printable(fmt::format("{}", fmt::join(tried.fixes, " + "))), outcome_name(tried),
        tried.fixes.size() > 1 ? ", the last on top of the others" : "",
        tried.why.empty() ? "" : ": " + printable(tried.why));
    if (tried.figures)
        text +=
            comparison_text(before, *tried.figures,
                            tried.fixes.size() > 1 ? "        all of them: " : "        alone: ");
    return text;
}

/// What a kernel, or the module where that is "", has beyond its limit.
struct Excess {
    std::string kernel;
    Figure figure = Figure::registers;
    std::uint64_t value = 0, limit = 0;
};

std::vector<Excess> over_budget_of(const TuneRun& run) {
    const Figures& figures = run.report->after ? *run.report->after : run.report->before;
    std::vector<Excess> all;
    for (const auto& [figure, limit] : run.modules.front().settings.options.objective.budget) {
        const auto look = [&, figure = figure, limit = limit](const std::string& kernel,
                                                              std::uint64_t value) {
            if (figure == Figure::warps ? value < limit : value > limit)
                all.push_back({kernel, figure, value, limit});
        };
        if (figure == Figure::checkpoint_bytes)
            look("", figures.checkpoint_bytes);
        else
            for (const KernelFigures& kernel : figures.kernels)
                look(kernel.name, value(kernel, figure));
    }
    return all;
}

/// "gradMain: 142 registers, budget 128; 80 checkpoint bytes, budget 64".
std::string over_budget_text(const TuneRun& run) {
    std::vector<std::string> parts;
    for (const Excess& excess : over_budget_of(run))
        parts.push_back(fmt::format("{}{} {}, budget {}{}",
                                    excess.kernel.empty() ? "" : printable(excess.kernel) + ": ",
                                    excess.value, name(excess.figure), excess.limit,
                                    excess.figure == Figure::warps ? " at least" : ""));
    return fmt::format("{}", fmt::join(parts, "; "));
}

std::string search_text(const TuneReport& report) {
    return fmt::format("{} of {} compiled, {} of trials{}",
                       counted(report.combinations.size(), "combination", "combinations"),
                       counted(report.tried.size(), "fix", "fixes"), seconds(report.spent),
                       report.out_of_time ? "; stopped by --time-limit, there may be more" : "");
}

} // namespace

bool budget_is_met(const TuneRun& run) {
    const Objective& objective = run.modules.front().settings.options.objective;
    return !run.report || objective.budget.empty() ||
           excess(run.report->after.value_or(run.report->before), objective) == 0;
}

std::string tune_text(const TuneRun& run, const TextOptions& options) {
    const TuneReport& report = *run.report;
    std::vector<std::string> names;
    for (const ModuleRun& module : run.modules)
        names.push_back(printable(display_path(module.settings.file, options.directory)));
    std::string text = fmt::format(
        "{}{}{}: {}\n", options.style.bold(), fmt::join(names, ", "), options.style.reset(),
        report.changed.empty()
            ? (run.withdrawn.empty() ? "nothing to gain: " : "nothing is changed: ") +
                  no_gain_text(run)
            : counted(report.kept.size(), "fix", "fixes") + " kept");
    for (const TriedFix& kept : report.kept)
        text += kept_text(kept, report.before, options);
    if (report.after)
        text += comparison_text(report.before, *report.after, "    ");
    if (report.verified)
        fmt::format_to(Lines(text), "    {}\n", printable(verdict_text(*report.verified)));
    for (const TriedFix& tried : report.tried)
        if (tried.outcome == Outcome::minor || tried.outcome == Outcome::needs_consent ||
            tried.outcome == Outcome::unverified)
            fmt::format_to(Lines(text), "    {}: {}: {}\n",
                           tried.outcome == Outcome::minor ? "minor fix (--minor)"
                           : tried.outcome == Outcome::needs_consent
                               ? "unsafe fix (--unsafe-fixes)"
                               : "unverified (--unsafe-fixes)",
                           printable(tried.fix.description), printable(tried.why));
    if (!budget_is_met(run))
        fmt::format_to(Lines(text), "    {}the budget is not met{}: {}\n", options.style.bad(),
                       options.style.reset(), over_budget_text(run));
    for (const auto& [path, users] : run.other_users) {
        std::vector<std::string> shown;
        for (const std::string& user : users)
            shown.push_back(printable(display_path(user, options.directory)));
        if (!shown.empty())
            fmt::format_to(Lines(text), "    {} is also used by {}: not given, so not measured\n",
                           printable(display_path(path, options.directory)),
                           fmt::join(shown, ", "));
    }
    if (options.why)
        for (const TriedFix& tried : report.tried)
            if (tried.outcome != Outcome::applied)
                fmt::format_to(Lines(text), "    {}not used{}: {}: {}{}\n", options.style.dim(),
                               options.style.reset(), printable(tried.fix.description),
                               name(tried.outcome),
                               tried.why.empty() ? "" : ": " + printable(tried.why));
    if (options.why)
        for (const TriedCombination& tried : report.combinations)
            text += combination_text(tried, report.before, options);
    fmt::format_to(Lines(text), "    {}\n", search_text(report));
    return text;
}

Json tune_json(const TuneRun& run, bool written) {
    const TuneReport& report = *run.report;
    Json files = Json::array(), kept = Json::array(), combinations = Json::array(),
         over_budget = Json::array();
    for (const Excess& excess : over_budget_of(run))
        over_budget.push_back({{"kernel", excess.kernel},
                               {"figure", name(excess.figure)},
                               {"value", excess.value},
                               {"limit", excess.limit}});
    for (const ModuleRun& module : run.modules)
        files.push_back(module.settings.file);
    for (const TriedFix& fix : report.kept)
        kept.push_back({{"rule", fix.finding.rule},
                        {"place", place_json(fix.finding.place)},
                        {"fix", tried_json(fix)}});
    for (const TriedCombination& tried : report.combinations) {
        Json combination = {
            {"fixes", tried.fixes}, {"outcome", outcome_name(tried)}, {"reason", tried.why}};
        if (tried.figures)
            combination["kernels"] = figures_json(*tried.figures);
        combinations.push_back(std::move(combination));
    }
    Json result = {{"files", std::move(files)},
                   {"kept", std::move(kept)},
                   {"kernels", figures_json(report.before)},
                   {"combinations", std::move(combinations)},
                   {"other_users", run.other_users},
                   {"milliseconds", report.spent.count()},
                   {"verification_milliseconds", report.verifying.count()},
                   {"out_of_time", report.out_of_time},
                   {"written", written},
                   {"budget_is_met", budget_is_met(run)},
                   {"over_budget", std::move(over_budget)}};
    if (report.after)
        result["kernels_after"] = figures_json(*report.after);
    if (report.verified)
        result["verified"] = verified_json(*report.verified);
    return result;
}

} // namespace slimgrad
