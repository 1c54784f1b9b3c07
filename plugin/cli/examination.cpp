#include "plugin/cli/examination.h"

#include "plugin/cli/console.h"
#include "plugin/cli/html_report.h"
#include "plugin/cli/json_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace slimgrad {
namespace {

/// What the fixes of other modules, in files that are this one's, too, do to it.
void print_shared(const ModuleRun& run, const TextOptions& options, std::FILE* stream) {
    if (run.before_shared)
        fmt::print(stream, "{}{}{}: uses a file that is fixed above\n{}", options.style.bold(),
                   printable(display_path(run.settings.file, options.directory)),
                   options.style.reset(),
                   comparison_text(*run.before_shared, run.report->before, "    "));
}

/// The evidence of a single fix is the module's total already.
void print_total(const ModuleReport& report, const TextOptions& options, std::FILE* stream) {
    const auto applied =
        std::count_if(report.tried.begin(), report.tried.end(),
                      [](const TriedFix& tried) { return tried.outcome == Outcome::applied; });
    if (report.changed.empty() || !report.after || applied < 2)
        return;
    fmt::print(stream, "{}{}{}: before -> after\n{}", options.style.bold(),
               printable(display_path(report.file, options.directory)), options.style.reset(),
               comparison_text(report.before, *report.after, "    "));
    if (report.verified)
        fmt::print(stream, "    {}\n", printable(verdict_text(*report.verified)));
}

} // namespace

Result<Examination> examine(const CommandLine& line, Depth depth) {
    InputFiles inputs = collect_inputs(line.paths);
    Result<std::vector<ModuleRun>> runs = run_modules(line, inputs.files, depth);
    if (!runs)
        return tl::unexpected(runs.error());
    Examination examination{std::move(*runs), std::move(inputs.left_out)};
    const std::vector<LeftOut> bystanders = take_out_bystanders(examination.runs);
    examination.left_out.insert(examination.left_out.end(), bystanders.begin(), bystanders.end());
    return examination;
}

ExitCode print_problems(const Examination& examination) {
    return worst(print_left_out(examination.left_out), print_failed_runs(examination.runs));
}

void print_document(const CommandLine& line, const Examination& examination, ExitCode code) {
    auto modules = nlohmann::ordered_json::array();
    FileTexts texts;
    for (const ModuleRun& run : examination.runs)
        if (run.report) {
            modules.push_back(module_json(*run.report, run.with,
                                          line.command == Command::fix && !line.diff &&
                                              !run.report->changed.empty()));
            if (run.layouts)
                modules.back().update(cuda_contexts_json(*run.layouts));
            texts.insert(run.report->original.begin(), run.report->original.end());
        }
    const auto all = modules_document(line.command, modules, examination.left_out, code);
    fmt::print("{}", line.format == OutputFormat::json
                         ? printed(all)
                         : html_report(all, texts, current_directory()));
}

void print_findings(const CommandLine& line, const Examination& examination,
                    std::size_t changed_files, std::FILE* stream) {
    const TextOptions options = text_options(line, stream);
    Tally tally;
    tally.changed_files = changed_files;
    for (const LeftOut& input : examination.left_out)
        ++tally.skipped[input.reason];
    for (const ModuleRun& run : examination.runs) {
        ++tally.modules;
        if (run.report && is_rejected(*run.report))
            ++tally.text_only;
        else if (!run.report || compiler_failed(*run.report))
            ++tally.failed;
        if (!run.report)
            continue;
        print_shared(run, options, stream);
        const std::vector<FindingView> views = view_findings(*run.report);
        TextOptions own = options;
        own.before = &run.report->before;
        for (const FindingView& view : views)
            fmt::print(stream, "{}", finding_text(view, own));
        if (line.command == Command::fix)
            print_total(*run.report, options, stream);
        tally.add(views);
    }
    if (tally.modules != 0)
        fmt::print(stream, "{}", summary_text(tally, options));
    if (line.statistics)
        fmt::print(stream, "{}", statistics_text(tally));
}

} // namespace slimgrad
