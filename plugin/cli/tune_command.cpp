#include "plugin/cli/choice_lock.h"
#include "plugin/cli/commands.h"
#include "plugin/cli/console.h"
#include "plugin/cli/file_changes.h"
#include "plugin/cli/finding_view.h"
#include "plugin/cli/html_report.h"
#include "plugin/cli/json_report.h"
#include "plugin/cli/tune_report.h"
#include "plugin/cli/tune_run.h"
#include "rewriter/atomic_write.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace slimgrad {
namespace {

/// Groups share no file that is changed.
std::vector<FileChange> all_changes(const std::vector<TuneRun>& runs) {
    std::vector<FileChange> changes;
    for (const TuneRun& run : runs)
        if (run.report)
            for (const auto& [path, text] : run.report->changed)
                for (const ModuleRun& module : run.modules)
                    if (const auto original = module.report->original.find(path);
                        original != module.report->original.end()) {
                        changes.push_back({path, original->second, text});
                        break;
                    }
    return changes;
}

std::vector<std::set<std::string>> changed_together(const std::vector<TuneRun>& runs) {
    std::vector<std::set<std::string>> groups(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (runs[i].report)
            for (const auto& [path, text] : runs[i].report->changed)
                groups[i].insert(path);
    return groups;
}

/// Of what could not be written the report must not say that it was.
void withdraw_unwritten(std::vector<TuneRun>& runs, const std::set<std::string>& written) {
    for (TuneRun& run : runs)
        if (run.report)
            for (const auto& [path, text] : run.report->changed)
                if (!written.contains(path)) {
                    withdraw_tuning(run, "not all of its files could be written");
                    break;
                }
}

ExitCode code_of(const std::vector<TuneRun>& runs) {
    ExitCode code = ExitCode::clean;
    for (const TuneRun& run : runs) {
        if (!run.report) {
            code = ExitCode::failed;
            continue;
        }
        if (!budget_is_met(run))
            code = worst(code, ExitCode::findings);
        for (const TriedCombination& tried : run.report->combinations)
            if (tried.outcome == Outcome::not_measured)
                code = worst(code, ExitCode::failed);
        for (const ModuleRun& module : run.modules)
            if (compiler_failed(*module.report) || is_incomplete(*module.report))
                code = worst(code, ExitCode::failed);
    }
    return code;
}

void print_document(const CommandLine& line, const std::vector<TuneRun>& runs,
                    const std::vector<LeftOut>& left_out, ExitCode code) {
    nlohmann::ordered_json modules = nlohmann::ordered_json::array(), tunings = modules;
    const bool writes = !line.diff && !line.lock;
    FileTexts texts;
    for (const TuneRun& run : runs) {
        for (const ModuleRun& module : run.modules)
            if (module.report) {
                modules.push_back(module_json(*module.report, module.with,
                                              writes && !module.report->changed.empty()));
                texts.insert(module.report->original.begin(), module.report->original.end());
            }
        if (run.report)
            tunings.push_back(tune_json(run, writes && !run.report->changed.empty()));
    }
    const auto document = tune_document(modules, tunings, left_out, code);
    fmt::print("{}", line.format == OutputFormat::json
                         ? printed(document)
                         : html_report(document, texts, current_directory()));
}

/// Writes the texts of each combination below the folder, by its number over all groups.
Result<void> save_trials(const std::string& folder, const std::vector<TuneRun>& runs) {
    std::size_t number = 0;
    for (const TuneRun& run : runs) {
        if (!run.report)
            continue;
        const std::filesystem::path root = run.modules.front().settings.root;
        for (const TriedCombination& tried : run.report->combinations) {
            const std::filesystem::path place =
                std::filesystem::path(folder) / fmt::format("{:04}", ++number);
            for (const auto& [path, text] : tried.texts)
                if (const Result<void> done = write_file(
                        (place / std::filesystem::path(path).lexically_relative(root)).string(),
                        text);
                    !done)
                    return done;
        }
    }
    return {};
}

/// Why a module could not be tuned: the compiler's words.
void print_failures(const TuneRun& run, const TextOptions& options, std::FILE* stream) {
    for (const ModuleRun& module : run.modules)
        if (module.report && compiler_failed(*module.report))
            for (const FindingView& view : view_findings(*module.report))
                if (view.severity() == Severity::error)
                    fmt::print(stream, "{}", finding_text(view, options));
}

} // namespace

ExitCode run_tune(const CommandLine& line) {
    // Not after a search of a minute.
    if (std::error_code ignored; !line.save_trials.empty() &&
                                 std::filesystem::exists(line.save_trials, ignored) &&
                                 !std::filesystem::is_directory(line.save_trials, ignored)) {
        print_error({"--save-trials names no folder", {line.save_trials}});
        return ExitCode::usage;
    }
    InputFiles inputs = collect_inputs(line.paths);
    Result<std::vector<TuneRun>> runs = run_tuning(line, inputs.files);
    ExitCode code = print_left_out(inputs.left_out);
    if (!runs) {
        print_error(runs.error());
        return worst(code, runs.error().place.file.ends_with(".toml") ? ExitCode::usage
                                                                      : ExitCode::failed);
    }
    for (const TuneRun& run : *runs)
        if (!run.report)
            print_error(run.report.error());
    code = worst(code, code_of(*runs));

    if (!line.save_trials.empty())
        if (const Result<void> done = save_trials(line.save_trials, *runs); !done) {
            print_error(done.error());
            return ExitCode::failed;
        }
    const std::vector<FileChange> changes = all_changes(*runs);
    std::set<std::string> written;
    if (line.lock) {
        if (const Result<void> done = write_locks(*runs); !done) {
            print_error(done.error());
            code = ExitCode::failed;
        }
    } else if (!line.diff) {
        code = worst(code, write_changes(changes, changed_together(*runs), written));
        withdraw_unwritten(*runs, written);
    } else if (print_diff(line, changes) != 0) {
        code = worst(code, ExitCode::findings);
    }
    if (line.exit_non_zero_on_fix && !written.empty())
        code = worst(code, ExitCode::findings);
    code = with_exit_zero(line, code);

    if (line.format != OutputFormat::text) {
        print_document(line, *runs, inputs.left_out, code);
        return code;
    }
    std::FILE* stream = line.diff ? stderr : stdout;
    const TextOptions options = text_options(line, stream);
    for (const TuneRun& run : *runs) {
        print_failures(run, options, stream);
        const bool failed =
            std::any_of(run.modules.begin(), run.modules.end(), [](const ModuleRun& module) {
                return module.report && compiler_failed(*module.report);
            });
        if (run.report && !failed)
            fmt::print(stream, "{}", tune_text(run, options));
    }
    if (line.lock && code != ExitCode::failed)
        fmt::print(stream, "the choices stand in {}; the shaders are as they were\n", lock_name);
    return code;
}

} // namespace slimgrad
