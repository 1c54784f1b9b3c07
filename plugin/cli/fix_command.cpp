#include "plugin/cli/commands.h"

#include "plugin/cli/console.h"
#include "plugin/cli/examination.h"
#include "plugin/cli/finding_view.h"
#include "plugin/cli/fix_plan.h"
#include "rewriter/atomic_write.h"
#include "rewriter/unified_diff.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace slimgrad {
namespace {

/// Shows the changes, and returns how many there are.
std::size_t print_diff(const std::vector<FileChange>& changes, const TextOptions& options) {
    for (const FileChange& change : changes)
        fmt::print("{}", unified_diff(display_path(change.path, options.directory), change.original,
                                      change.text));
    return changes.size();
}

/// Makes the changes. What cannot be written is said, and left as it was; the others are made all
/// the same.
ExitCode write_changes(const std::vector<FileChange>& changes, std::set<std::string>& written) {
    ExitCode code = ExitCode::clean;
    for (const FileChange& change : changes) {
        if (const Result<void> done = replace_file(change.path, change.original, change.text)) {
            written.insert(change.path);
        } else {
            Error error = done.error();
            if (error.place.file.empty())
                error.place.file = change.path;
            print_error(error);
            code = ExitCode::failed;
        }
    }
    return code;
}

/// Whether each file that the module's fixes change was written.
bool all_written(const ModuleReport& report, const std::set<std::string>& written) {
    return std::all_of(report.changed.begin(), report.changed.end(),
                       [&](const auto& change) { return written.count(change.first) != 0; });
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
        code = worst(code, write_changes(*changes, written));
    else if (print_diff(*changes, text_options(line, stdout)) != 0)
        code = worst(code, ExitCode::findings);

    for (ModuleRun& run : examination->runs)
        if (!line.diff && run.report && !all_written(*run.report, written))
            withdraw_fixes(*run.report, "not all of its files could be written");
    for (const ModuleRun& run : examination->runs)
        if (run.report)
            code = worst(code, compiler_failed(*run.report) ? ExitCode::failed
                               : anything_left(*run.report) ? ExitCode::findings
                                                            : ExitCode::clean);
    if (line.exit_non_zero_on_fix && !written.empty())
        code = worst(code, ExitCode::findings);
    code = with_exit_zero(line, code);

    if (line.format == OutputFormat::json)
        fmt::print("{}", examination_json(line, *examination, code));
    else
        print_findings(line, *examination, written.size(), line.diff ? stderr : stdout);
    return code;
}

} // namespace slimgrad
