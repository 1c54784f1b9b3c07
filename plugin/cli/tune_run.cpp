#include "plugin/cli/tune_run.h"

#include "plugin/cli/fix_plan.h"
#include "plugin/cli/header_users.h"
#include "plugin/cli/progress.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <thread>

namespace slimgrad {
namespace {

std::string file_name(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

/// Why the change may not be made for the sake of shaders that use the changed files and were not
/// given: "", or what happens to one of them.
Result<std::string> harm_to_others(const CommandLine& line, const TuneRun& run) {
    std::set<std::string> users;
    for (const auto& [path, names] : run.other_users)
        users.insert(names.begin(), names.end());
    for (const std::string& user : users) {
        const Result<ModuleSettings> settings = module_settings(line, user);
        if (!settings)
            return tl::unexpected(settings.error());
        const Result<std::string> harm = gradient_harm(line, *settings, run.report->changed);
        if (!harm)
            return harm;
        if (!harm->empty())
            return fmt::format("bad for {}, which uses the same file ({}); give it, too",
                               file_name(user), *harm);
    }
    return std::string();
}

void tune_group(const CommandLine& line, TrialPool& pool, TuneRun& run) {
    std::vector<TrialModule> modules;
    for (const ModuleRun& module : run.modules)
        modules.push_back({module.settings.file, module.settings.root, module.settings.options});
    run.report = tune_modules(pool, modules);
    if (!run.report)
        return;
    std::vector<std::string> given;
    for (std::size_t i = 0; i < run.modules.size(); ++i) {
        run.modules[i].report = run.report->modules[i];
        given.push_back(run.modules[i].settings.file);
    }
    for (const auto& [path, text] : run.report->changed)
        if (std::find(given.begin(), given.end(), path) == given.end())
            run.other_users[path] = users_of(path, run.modules.front().settings.root, given);
    const Result<std::string> harm = harm_to_others(line, run);
    if (!harm)
        run.report = tl::unexpected(harm.error());
    else if (!harm->empty())
        withdraw_tuning(run, *harm);
}

} // namespace

void withdraw_tuning(TuneRun& run, const std::string& why) {
    run.withdrawn = why;
    TuneReport& report = *run.report;
    for (TriedFix& tried : report.tried)
        if (tried.outcome == Outcome::applied) {
            tried.outcome = Outcome::withdrawn;
            tried.why = why;
        }
    for (ModuleRun& module : run.modules)
        withdraw_fixes(*module.report, why);
    report.changed.clear();
    report.kept.clear();
    report.after.reset();
    report.verified.reset();
}

Result<std::vector<TuneRun>> run_tuning(const CommandLine& line,
                                        const std::vector<InputFile>& inputs) {
    Result<std::vector<ModuleRun>> planned = plan_modules(line, inputs);
    if (!planned)
        return tl::unexpected(planned.error());
    if (planned->empty())
        return std::vector<TuneRun>{};
    const Result<std::unique_ptr<TrialPool>> pool = start_pool(line);
    if (!pool)
        return tl::unexpected(pool.error());
    Result<std::string> version = "";
    (*pool)->run_on(0, [&](TrialTools& tools) { version = tools.compiler.version(); });
    if (!version)
        return tl::unexpected(version.error());

    std::vector<TrialModule> modules;
    for (ModuleRun& run : *planned) {
        run.with.slang_version = *version;
        modules.push_back({run.settings.file, run.settings.root, run.settings.options});
    }
    const auto groups = module_groups(**pool, modules);
    if (!groups)
        return tl::unexpected(groups.error());
    std::vector<TuneRun> runs(groups->size());
    for (std::size_t g = 0; g < runs.size(); ++g)
        for (const std::size_t index : (*groups)[g])
            runs[g].modules.push_back((*planned)[index]);

    Progress progress;
    std::atomic<std::size_t> next = 0;
    const auto drive = [&] {
        for (std::size_t g = next++; g < runs.size(); g = next++) {
            const std::string name = file_name(runs[g].modules.front().settings.file);
            const auto show = [&, g, name](const std::string& step, std::size_t done,
                                           std::size_t total) {
                progress.show(fmt::format("[{}/{}] {}: {}", g + 1, runs.size(), name, step), done,
                              total);
            };
            for (ModuleRun& run : runs[g].modules)
                run.settings.options.progress = show;
            tune_group(line, **pool, runs[g]);
            for (ModuleRun& run : runs[g].modules)
                run.settings.options.progress = nullptr;
        }
    };
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min<std::size_t>((*pool)->workers(), runs.size()); ++i)
        threads.emplace_back(drive);
    drive();
    threads.clear(); // joins
    return runs;
}

} // namespace slimgrad
