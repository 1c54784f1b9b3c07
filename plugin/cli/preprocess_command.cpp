#include "plugin/cli/choice_lock.h"
#include "plugin/cli/commands.h"

#include "plugin/cli/console.h"
#include "plugin/cli/depfile.h"
#include "plugin/cli/finding_view.h"
#include "plugin/cli/mirrored_path.h"
#include "plugin/cli/module_run.h"
#include "plugin/cli/output_record.h"
#include "plugin/cli/project_root.h"
#include "plugin/rewrite/content_hash.h"
#include "rewriter/atomic_write.h"

#include <filesystem>
#include <fmt/format.h>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

/// The files of the module that go below the output's folder: the module alone, or, where an
/// include is changed, all of its files, so that none of them finds the unchanged one first. Empty:
/// one of them has no place there, or only that of a source. A copy that an earlier run left there
/// is brought up to date, or slangc would find it first.
FileTexts placed_files(const ModuleReport& report, const std::string& in, const std::string& out) {
    const bool include_changed =
        !report.changed.empty() && (report.changed.size() > 1 || report.changed.count(in) == 0);
    FileTexts placed;
    for (const auto& [path, original] : report.original) {
        const auto changed = report.changed.find(path);
        const std::optional<std::string> place = path == in ? out : mirrored_path(path, in, out);
        if (!place && changed != report.changed.end())
            return {};
        std::error_code ignored;
        const bool left_over = place && !report.original.contains(canonical_path(*place)) &&
                               fs::exists(*place, ignored);
        if (path != in && !include_changed && !left_over)
            continue;
        if (place && report.original.contains(canonical_path(*place))) {
            if (changed != report.changed.end())
                return {}; // a source is no place for an output
            continue;
        }
        if (place)
            placed[*place] = changed != report.changed.end() ? changed->second : original;
    }
    return placed;
}

/// Whether slangc makes of the placed files what was verified: the same code as of the changed
/// module in its own place.
Result<bool> is_found_from_there(const CommandLine& line, const ModuleRun& run,
                                 const FileTexts& placed, const std::string& out) {
    SlangCompiler compiler(compiler_options(line));
    const auto code = [&](const std::string& file, const std::string& root,
                          const FileTexts& overlay,
                          const std::vector<std::string>& folders) -> Result<std::string> {
        CompileRequest request;
        request.file = file;
        request.project_root = root;
        request.overlay = overlay;
        request.arguments = run.settings.options.slang_arguments;
        request.arguments.insert(request.arguments.end(), {"-line-directive-mode", "none"});
        for (const std::string& folder : folders)
            request.arguments.insert(request.arguments.end(), {"-I", folder});
        request.checkpoint_report = request.reflection = false;
        Result<CompileResult> compiled = compiler.compile(request);
        if (!compiled)
            return tl::unexpected(compiled.error());
        return compiled->succeeded() ? std::move(compiled->code) : std::string();
    };
    const Result<std::string> in_place =
        code(run.settings.file, run.settings.root, run.report->changed, {});
    if (!in_place)
        return tl::unexpected(in_place.error());
    const Result<std::string> over_there =
        code(out, fs::path(out).parent_path().string(), placed,
             {fs::path(run.settings.file).parent_path().string(), run.settings.root});
    if (!over_there)
        return tl::unexpected(over_there.error());
    return !in_place->empty() && *in_place == *over_there;
}

/// What is written: the fixed module, or the text as it is where that cannot be had, with the
/// reason as a warning.
Result<FileTexts> result_files(const CommandLine& line, const ModuleRun& run, const std::string& in,
                               const std::string& out) {
    const ModuleReport& report = *run.report;
    const auto unchanged = [&](std::string_view why) -> Result<FileTexts> {
        print_warning(in, fmt::format("{}; the text is left as it is", why));
        Result<std::string> text = read_file(in);
        if (!text)
            return tl::unexpected(text.error());
        ModuleReport as_it_is = report;
        as_it_is.changed.clear();
        FileTexts texts = placed_files(as_it_is, in, out);
        texts[out] = std::move(*text);
        return texts;
    };
    if (compiler_failed(report))
        return unchanged(report.compiled.succeeded() ? "nvcc: " + report.cuda->detail
                                                     : report.compiled.detail);
    FileTexts placed = placed_files(report, in, out);
    if (placed.empty())
        return unchanged("the fixes change an include that has no place beside the output, or "
                         "whose place is the source itself");
    if (placed.size() > 1) {
        const Result<bool> found = is_found_from_there(line, run, placed, out);
        if (!found)
            return tl::unexpected(found.error());
        if (!*found)
            return unchanged(
                "the fixes change an include that is not found from the output's place");
    }
    return placed;
}

/// What slangc has to find beside the output.
NeededFiles needed_files(const ModuleReport& report, const FileTexts& placed, const std::string& in,
                         const std::string& out) {
    NeededFiles needed;
    for (const auto& [path, original] : report.original) {
        const auto place = path == in ? std::nullopt : mirrored_path(path, in, out);
        if (!place || report.original.contains(canonical_path(*place)))
            continue;
        const auto text = placed.find(*place);
        needed[*place] = {
            path, ContentHash().add_raw(original).hex(),
            ContentHash().add_raw(text == placed.end() ? original : text->second).hex()};
    }
    return needed;
}

ExitCode print_diagnostics(const ModuleReport& report) {
    const TextOptions options = text_options({}, stderr);
    for (const FindingView& view : view_findings(report))
        fmt::print(stderr, "{}", finding_text(view, options));
    return ExitCode::findings;
}

/// Writes the module's files and the depfile; `made_from`: what they were made from.
ExitCode write_result(const CommandLine& line, const ModuleRun& run, const std::string& in,
                      const std::string& out, std::vector<std::string> made_from) {
    if (run.report->original.contains(out)) {
        print_error({fmt::format("-o names {}, which the shader is made from: `preprocess` leaves "
                                 "its sources alone",
                                 out),
                     {in}});
        return ExitCode::usage;
    }
    const Result<FileTexts> files = result_files(line, run, in, out);
    if (!files) {
        print_error(files.error());
        return ExitCode::failed;
    }
    OutputRecord record(out);
    const NeededFiles needed = needed_files(*run.report, *files, in, out);
    if (const std::optional<std::string> conflict = record.conflict(needed)) {
        print_error({*conflict, {in}});
        return ExitCode::usage;
    }
    if (!run.settings.configuration.empty())
        made_from.push_back(run.settings.configuration);
    std::vector<std::pair<std::string, std::string>> outputs(files->begin(), files->end());
    if (!line.depfile.empty())
        outputs.emplace_back(line.depfile, depfile(line.output, made_from));
    for (const auto& [path, text] : outputs)
        if (const Result<void> written = write_file(path, text); !written) {
            print_error(written.error());
            return ExitCode::failed;
        }
    record.write(needed);
    return ExitCode::clean;
}

/// Does what the project's lock says, if it holds this shader: without nvcc, without running
/// anything; Slang says which files it is made from. Error: the lock does not fit.
Result<std::optional<ExitCode>> replay_lock(const CommandLine& line, const std::string& in,
                                            const std::string& out) {
    Result<std::vector<ModuleRun>> runs = plan_modules(line, {{in, false}});
    if (!runs)
        return tl::unexpected(runs.error());
    ModuleRun& run = runs->front();
    SlangCompiler compiler(compiler_options(line));
    Result<std::string> version = compiler.version();
    if (!version)
        return tl::unexpected(version.error());
    run.with.slang_version = std::move(*version);
    Result<std::optional<LockedModule>> locked =
        read_locked(run.settings, run.with, [&]() -> Result<std::vector<std::string>> {
            CompileRequest request;
            request.file = run.settings.file;
            request.project_root = run.settings.root;
            request.arguments = run.settings.options.slang_arguments;
            Result<CompileResult> compiled = compiler.compile(request);
            if (!compiled)
                return tl::unexpected(compiled.error());
            return std::move(compiled->dependencies);
        });
    if (!locked)
        return tl::unexpected(locked.error());
    if (!*locked)
        return std::nullopt;
    if (!(*locked)->made_with.empty())
        print_warning(in, fmt::format("{} was made with {}: the choices may be others now "
                                      "(`slimgrad tune --lock`)",
                                      lock_name, (*locked)->made_with));
    run.report = std::move((*locked)->report);
    return write_result(line, run, in, out, std::move((*locked)->files));
}

} // namespace

ExitCode run_preprocess(const CommandLine& line) {
    const InputFiles inputs = collect_inputs(line.paths);
    const std::string in = canonical_path(line.paths.front());
    const std::string out = canonical_path(line.output);
    const bool blank = inputs.files.empty() && inputs.left_out.size() == 1 &&
                       inputs.left_out.front().code == ExitCode::clean;
    if (inputs.files.size() != 1 && !blank) {
        const ExitCode code = print_left_out(inputs.left_out);
        if (code == ExitCode::clean)
            print_error({"`preprocess` takes one shader, not a folder"});
        return ExitCode::usage;
    }
    if (in == out) {
        print_error({"-o names the shader itself: `preprocess` leaves its source alone",
                     {line.paths.front()}});
        return ExitCode::usage;
    }
    if (line.use_lock) {
        const Result<std::optional<ExitCode>> done = replay_lock(line, in, out);
        if (!done) {
            print_error(done.error());
            return ExitCode::findings;
        }
        if (*done)
            return **done;
    }
    Result<std::vector<ModuleRun>> runs = run_modules(line, {{in, false}}, Depth::improve);
    if (!runs) {
        print_error(runs.error());
        return ExitCode::usage;
    }
    const ModuleRun& run = runs->front();
    if (!run.report)
        return print_failed_runs(*runs);
    if (run.report->compiled.status == CompileStatus::rejected)
        return print_diagnostics(*run.report);

    std::vector<std::string> made_from = run.report->compiled.dependencies;
    if (made_from.empty())
        made_from.push_back(in);
    return write_result(line, run, in, out, std::move(made_from));
}

} // namespace slimgrad
