#include "plugin/cli/commands.h"

#include "plugin/cli/console.h"
#include "plugin/cli/examination.h"
#include "plugin/cli/finding_view.h"

#include <fmt/format.h>

namespace slimgrad {
namespace {

/// `report` shows figures: only a module without figures is out of order.
bool has_figures(const ModuleRun& run) {
    return run.report && !compiler_failed(*run.report) &&
           (!run.report->cuda || run.report->cuda->succeeded());
}

} // namespace

ExitCode run_report(const CommandLine& line) {
    if (line.model)
        return run_model_report(line);
    Result<Examination> examination = examine(line, Depth::examine);
    if (!examination) {
        print_error(examination.error());
        return ExitCode::usage;
    }
    for (ModuleRun& run : examination->runs)
        if (run.report && run.report->compiled.succeeded() && !run.report->compiled.code.empty())
            run.layouts = read_cuda_contexts(run.report->compiled.code);
    ExitCode code = print_problems(*examination);
    for (const ModuleRun& run : examination->runs)
        if (!has_figures(run))
            code = worst(code, ExitCode::failed);
    if (line.format != OutputFormat::text) {
        print_document(line, *examination, code);
        return code;
    }
    const TextOptions options = text_options(line, stdout);
    for (const ModuleRun& run : examination->runs) {
        if (!run.report)
            continue;
        fmt::print("{}", resource_text(*run.report, run.with, options));
        if (run.layouts)
            fmt::print("{}",
                       cuda_contexts_text(*run.layouts, SlangNames(run.report->compiled), options));
        for (const FindingView& view : view_findings(*run.report))
            if (view.severity() == Severity::error || view.finding.rule == "frame-limit")
                fmt::print("{}", finding_text(view, options));
    }
    return code;
}

} // namespace slimgrad
