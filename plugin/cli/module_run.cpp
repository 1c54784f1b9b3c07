#include "plugin/cli/module_run.h"

#include "plugin/cli/progress.h"
#include "plugin/cuda/cuda_toolkit.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <thread>

namespace slimgrad {
namespace {

unsigned worker_count(unsigned jobs) {
    return jobs != 0 ? jobs : std::max(1u, std::thread::hardware_concurrency());
}

Result<ModuleReport> run_module(TrialPool& pool, const ModuleSettings& settings, Depth depth) {
    const TrialModule module{settings.file, settings.root, settings.options};
    return depth == Depth::improve ? improve_module(pool, module) : examine_module(pool, module);
}

bool has_entry_points(const ModuleReport& report) {
    return !report.compiled.reflection.entry_points.empty() || !report.before.kernels.empty();
}

bool has_differentiable_code(const ModuleReport& report) {
    const auto& functions = report.compiled.reflection.functions;
    return !report.compiled.contexts.empty() ||
           std::any_of(functions.begin(), functions.end(),
                       [](const FunctionSignature& f) { return f.differentiable; });
}

} // namespace

Result<std::unique_ptr<TrialPool>> start_pool(const CommandLine& line) {
    Result<CudaToolkit> toolkit = CudaToolkit::find();
    if (!toolkit)
        return tl::unexpected(toolkit.error());
    TrialPool::Options options;
    options.workers = worker_count(line.jobs);
    options.toolkit = std::move(*toolkit);
    options.compiler = compiler_options(line);
    return TrialPool::start(options);
}

Result<std::vector<ModuleRun>> plan_modules(const CommandLine& line,
                                            const std::vector<InputFile>& inputs) {
    std::vector<ModuleRun> runs(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Result<ModuleSettings> settings = module_settings(line, inputs[i].path);
        if (!settings)
            return tl::unexpected(settings.error());
        runs[i].input = inputs[i];
        runs[i].with = measured_with(*settings);
        runs[i].settings = std::move(*settings);
    }
    return runs;
}

Result<std::vector<ModuleRun>> run_modules(const CommandLine& line,
                                           const std::vector<InputFile>& inputs, Depth depth) {
    Result<std::vector<ModuleRun>> planned = plan_modules(line, inputs);
    if (!planned || planned->empty())
        return planned;
    std::vector<ModuleRun> runs = std::move(*planned);
    const Result<std::unique_ptr<TrialPool>> pool = start_pool(line);
    Result<std::string> version = pool ? "" : Result<std::string>(tl::unexpected(pool.error()));
    if (pool)
        (*pool)->run_on(0, [&](TrialTools& tools) { version = tools.compiler.version(); });
    if (!version) {
        for (ModuleRun& run : runs)
            run.report = tl::unexpected(version.error());
        return runs;
    }
    Progress progress;
    std::atomic<std::size_t> next = 0;
    // The work is done by the pool's workers; each of these waits for those of one module.
    const auto drive = [&] {
        for (std::size_t i = next++; i < runs.size(); i = next++) {
            ModuleRun& run = runs[i];
            const std::string file = std::filesystem::path(run.settings.file).filename().string();
            run.settings.options.progress = [&, i, file](const std::string& step, std::size_t done,
                                                         std::size_t total) {
                progress.show(fmt::format("[{}/{}] {}: {}", i + 1, runs.size(), file, step), done,
                              total);
            };
            run.with.slang_version = *version;
            run.report = run_module(**pool, run.settings, depth);
        }
    };
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min<std::size_t>((*pool)->workers(), runs.size()); ++i)
        threads.emplace_back(drive);
    drive();
    threads.clear(); // joins
    for (ModuleRun& run : runs)
        run.settings.options.progress = nullptr;
    return runs;
}

Result<ModuleReport> run_module_again(const CommandLine& line, const ModuleSettings& settings,
                                      const FileTexts& overlay, Depth depth) {
    const Result<std::unique_ptr<TrialPool>> pool = start_pool(line);
    if (!pool)
        return tl::unexpected(pool.error());
    ModuleSettings changed = settings;
    changed.options.overlay = overlay;
    return run_module(**pool, changed, depth);
}

std::vector<LeftOut> take_out_bystanders(std::vector<ModuleRun>& runs) {
    std::set<std::string> included;
    for (const ModuleRun& run : runs)
        if (run.report && run.report->compiled.succeeded())
            for (const std::string& file : run.report->compiled.dependencies)
                if (file != run.settings.file)
                    included.insert(file);

    std::vector<LeftOut> left_out;
    const auto is_bystander = [&](const ModuleRun& run) {
        if (!run.report)
            return false;
        const ModuleReport& report = *run.report;
        const auto leave_out = [&](const char* reason) {
            left_out.push_back(
                {run.settings.file, reason, ExitCode::clean, run.input.from_directory});
            return true;
        };
        if (run.input.from_directory && included.count(run.settings.file) != 0 &&
            !has_entry_points(report))
            return leave_out("done with the modules that include it");
        if (report.compiled.succeeded() && !has_entry_points(report) &&
            !has_differentiable_code(report))
            return leave_out("no entry points and no differentiable code");
        return false;
    };
    runs.erase(std::remove_if(runs.begin(), runs.end(), is_bystander), runs.end());
    return left_out;
}

} // namespace slimgrad
