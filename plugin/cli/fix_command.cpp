#include "plugin/cli/commands.h"

#include "plugin/cli/console.h"
#include "plugin/cli/examination.h"
#include "plugin/cli/file_changes.h"
#include "plugin/cli/finding_view.h"
#include "plugin/cli/fix_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace slimgrad {
namespace {

/// Whether each file that the module's fixes change was written.
bool all_written(const ModuleReport& report, const std::set<std::string>& written) {
    return std::all_of(report.changed.begin(), report.changed.end(),
                       [&](const auto& change) { return written.count(change.first) != 0; });
}

/// The files of each module's change.
std::vector<std::set<std::string>> changed_together(const std::vector<ModuleRun>& runs) {
    std::vector<std::set<std::string>> groups;
    for (const ModuleRun& run : runs)
        if (run.report) {
            groups.emplace_back();
            for (const auto& [path, text] : run.report->changed)
                groups.back().insert(path);
        }
    return groups;
}

bool anything_left(const ModuleReport& report) {
    const std::vector<FindingView> views = view_findings(report);
    return std::any_of(views.begin(), views.end(), [](const FindingView& view) {
        return view.counts() && view.state != FindingState::fixed;
    });
}

} // namespace

ExitCode run_fix(const CommandLine& line) {
    Result<Examination> examination = examine(line, Depth::improve);
    if (!examination) {
        print_error(examination.error());
        return ExitCode::usage;
    }
    ExitCode code = print_problems(*examination);
    const Result<std::vector<FileChange>> changes = plan_fixes(line, examination->runs);
    if (!changes) {
        print_error(changes.error());
        return ExitCode::failed;
    }
    std::set<std::string> written;
    if (!line.diff)
        code = worst(code, write_changes(*changes, changed_together(examination->runs), written));
    else if (print_diff(line, *changes) != 0)
        code = worst(code, ExitCode::findings);

    for (ModuleRun& run : examination->runs)
        if (!line.diff && run.report && !all_written(*run.report, written))
            withdraw_fixes(*run.report, "not all of its files could be written");
    for (const ModuleRun& run : examination->runs)
        if (run.report)
            code = worst(code, compiler_failed(*run.report) || is_incomplete(*run.report)
                                   ? ExitCode::failed
                               : anything_left(*run.report) ? ExitCode::findings
                                                            : ExitCode::clean);
    if (line.exit_non_zero_on_fix && !written.empty())
        code = worst(code, ExitCode::findings);
    code = with_exit_zero(line, code);

    if (line.format != OutputFormat::text)
        print_document(line, *examination, code);
    else
        print_findings(line, *examination, written.size(), line.diff ? stderr : stdout);
    return code;
}

} // namespace slimgrad
