#include "plugin/cli/text_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace slimgrad {
namespace {

using Lines = std::back_insert_iterator<std::string>;

std::string change(std::string_view what, std::uint64_t before, std::uint64_t after,
                   std::string_view unit = "") {
    if (before == after)
        return fmt::format("{} {}{}", what, after, unit);
    return fmt::format("{} {} -> {}{}", what, before, after, unit);
}

bool same(const KernelFigures& a, const KernelFigures& b) {
    return a.registers == b.registers && a.stack_bytes == b.stack_bytes &&
           a.spill_store_bytes == b.spill_store_bytes && a.spill_load_bytes == b.spill_load_bytes &&
           a.warps_per_sm == b.warps_per_sm && a.code_bytes == b.code_bytes &&
           a.local_loads == b.local_loads && a.local_stores == b.local_stores &&
           a.estimate == b.estimate;
}

/// What stands before the figures of a fix: the indentation, and what they are measured on top of.
std::string basis(const TriedFix& tried, const TextOptions& options) {
    return options.before && !same_figures(*options.before, tried.evidence.before)
               ? "        on top of others: "
               : "        ";
}

std::string fix_text(const TriedFix& tried, FindingState state, const TextOptions& options) {
    const Style& style = options.style;
    const std::string_view doing = state == FindingState::minor    ? "minor fix (--minor)"
                                   : state == FindingState::unsafe ? "unsafe fix (--unsafe-fixes)"
                                   : options.applying              ? "fixed"
                                                                   : "fix";
    std::string text = fmt::format("    {}{}{}: {}\n", style.good(), doing, style.reset(),
                                   printable(tried.fix.description));
    if (!tried.fix.condition.empty())
        fmt::format_to(Lines(text), "        holds only if {}\n", printable(tried.fix.condition));
    if (tried.evidence.after)
        text +=
            comparison_text(tried.evidence.before, *tried.evidence.after, basis(tried, options));
    if (tried.evidence.verified)
        fmt::format_to(Lines(text), "        {}\n",
                       printable(verdict_text(*tried.evidence.verified)));
    return text;
}

std::string rejected_text(const TriedFix& tried, const TextOptions& options) {
    // The engine's reason says more than the outcome's name; not every outcome has one.
    const std::string_view reason =
        tried.why.empty() ? name(tried.outcome) : std::string_view(tried.why);
    std::string text =
        fmt::format("    {}not used{}: {}: {}\n", options.style.dim(), options.style.reset(),
                    printable(tried.fix.description), printable(reason));
    if (options.why && tried.evidence.after)
        text +=
            comparison_text(tried.evidence.before, *tried.evidence.after, basis(tried, options));
    return text;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string joined(const std::vector<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace

bool same_figures(const Figures& a, const Figures& b) {
    return a.checkpoint_bytes == b.checkpoint_bytes &&
           std::equal(a.kernels.begin(), a.kernels.end(), b.kernels.begin(), b.kernels.end(),
                      [](const KernelFigures& x, const KernelFigures& y) {
                          return x.name == y.name && same(x, y);
                      });
}

std::string comparison_text(const Figures& before, const Figures& after,
                            const std::string& indent) {
    std::string text;
    for (const KernelFigures& b : after.kernels) {
        const auto a =
            std::find_if(before.kernels.begin(), before.kernels.end(), [&](const KernelFigures& k) {
                return k.name == b.name && k.direction == b.direction;
            });
        if (a == before.kernels.end()) {
            fmt::format_to(Lines(text), "{}{}: new\n", indent, b.name);
            continue;
        }
        if (same(*a, b))
            continue;
        fmt::format_to(Lines(text), "{}{}: {}, {}, {}, {}, {}, {}", indent, b.name,
                       change("registers", a->registers, b.registers),
                       change("stack", a->stack_bytes, b.stack_bytes, " B"),
                       change("spill stores", a->spill_store_bytes, b.spill_store_bytes, " B"),
                       change("spill loads", a->spill_load_bytes, b.spill_load_bytes, " B"),
                       change("warps/SM", a->warps_per_sm, b.warps_per_sm),
                       change("code", a->code_bytes, b.code_bytes, " B"));
        if (a->local_loads != b.local_loads || a->local_stores != b.local_stores)
            fmt::format_to(Lines(text), ", {}, {}",
                           change("local loads", a->local_loads, b.local_loads),
                           change("local stores", a->local_stores, b.local_stores));
        if (a->estimate != 0 && b.estimate != 0)
            fmt::format_to(Lines(text), ", {}", change("estimated cost", a->estimate, b.estimate));
        text += '\n';
    }
    fmt::format_to(Lines(text), "{}{}\n", indent,
                   change("checkpoints", before.checkpoint_bytes, after.checkpoint_bytes, " B"));
    return text;
}

std::string verdict_text(const VerifyResult& verified) {
    std::string_view verdict;
    switch (verified.verdict) {
    case Verdict::equal:
        // An original that is wrong is nothing to be equal to.
        return (verified.reference_is_repaired ? "gradients of the repaired form: "
                                               : "gradients ") +
               verified.reason;
    case Verdict::different:
        verdict = "gradients differ";
        break;
    case Verdict::original_wrong:
        verdict = "the original's gradients are wrong";
        break;
    case Verdict::rewritten_wrong:
        verdict = "the rewritten gradients are wrong";
        break;
    case Verdict::unverified:
        verdict = "unverified";
        break;
    case Verdict::cannot_run:
        verdict = "cannot run";
        break;
    case Verdict::right:
        verdict = "gradients are right";
        break;
    case Verdict::wrong:
        verdict = "gradients are wrong";
        break;
    }
    return verified.reason.empty() ? std::string(verdict)
                                   : fmt::format("{}: {}", verdict, verified.reason);
}

std::string finding_text(const FindingView& view, const TextOptions& options) {
    if (view.state == FindingState::no_gain && !options.why)
        return "";
    const Style& style = options.style;
    const Severity severity = view.severity();
    const std::string place = to_string(display_place(view.finding.place, options.directory));
    std::string text =
        fmt::format("{}{}{}: {}{}{}: {}{}{} [{}]\n", style.bold(), printable(place), style.reset(),
                    style.severity(severity), name(severity), style.reset(), style.bold(),
                    printable(view.finding.message), style.reset(), view.finding.rule);
    if (view.chosen)
        text += fix_text(*view.chosen, view.state, options);
    if (options.why || !view.chosen)
        for (const TriedFix* tried : view.rejected)
            text += rejected_text(*tried, options);
    if (options.why)
        for (const std::string& reason : view.finding.why_not)
            fmt::format_to(Lines(text), "    {}not offered{}: {}\n", style.dim(), style.reset(),
                           printable(reason));
    return text;
}

void Tally::add(const std::vector<FindingView>& views) {
    for (const FindingView& view : views) {
        rejected += view.rejected.size();
        if (view.state == FindingState::no_gain)
            continue;
        ++rules[view.finding.rule];
        fixed += view.state == FindingState::fixed;
        minor += view.state == FindingState::minor;
        unsafe += view.state == FindingState::unsafe;
        errors += view.severity() == Severity::error;
        costs += view.severity() == Severity::cost;
        notes += view.severity() == Severity::note;
    }
}

std::string summary_text(const Tally& tally, const TextOptions& options) {
    std::vector<std::string> found, fixes;
    if (tally.errors)
        found.push_back(counted(tally.errors, "error", "errors"));
    if (tally.costs)
        found.push_back(counted(tally.costs, "cost", "costs"));
    if (tally.notes)
        found.push_back(counted(tally.notes, "note", "notes"));
    if (found.empty())
        found.push_back("nothing to report");
    if (tally.fixed)
        fixes.push_back(fmt::format("{} {}", tally.fixed, options.applying ? "fixed" : "fixable"));
    if (tally.minor)
        fixes.push_back(fmt::format("{} with --minor", tally.minor));
    if (tally.unsafe)
        fixes.push_back(fmt::format("{} with --unsafe-fixes", tally.unsafe));
    if (tally.rejected)
        fixes.push_back(fmt::format("{} rejected{}",
                                    counted(tally.rejected, "candidate", "candidates"),
                                    options.why ? "" : " (--why)"));
    if (options.applying)
        fixes.push_back(counted(tally.changed_files, "file changed", "files changed"));
    std::string text =
        fmt::format("{}: {}", counted(tally.modules, "module", "modules"), joined(found));
    if (!fixes.empty())
        text += "; " + joined(fixes);
    if (tally.text_only)
        text += fmt::format("; {} compile: only {} text was examined",
                            counted(tally.text_only, "module does not", "modules do not"),
                            tally.text_only == 1 ? "its" : "their");
    if (tally.failed)
        text +=
            fmt::format("; {} could not be examined", counted(tally.failed, "module", "modules"));
    return text + '\n';
}

std::string statistics_text(const Tally& tally) {
    std::string text;
    for (const auto& [rule, count] : tally.rules)
        fmt::format_to(Lines(text), "{:>6}  {}\n", count, rule);
    for (const auto& [reason, count] : tally.skipped)
        fmt::format_to(Lines(text), "{:>6}  skipped: {}\n", count, printable(reason));
    return text;
}

} // namespace slimgrad
