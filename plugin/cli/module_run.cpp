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

unsigned thread_count(unsigned jobs, std::size_t modules) {
    const unsigned wanted = jobs != 0 ? jobs : std::max(1u, std::thread::hardware_concurrency());
    return static_cast<unsigned>(std::min<std::size_t>(wanted, modules));
}

/// What one thread needs for itself.
struct Tools {
    SlangCompiler compiler;
    Verifier verifier;
    CudaToolkit toolkit;

    static Result<Tools> create(const CommandLine& line) {
        Result<CudaToolkit> toolkit = CudaToolkit::find();
        if (!toolkit)
            return tl::unexpected(toolkit.error());
        Result<Verifier> verifier = Verifier::create();
        if (!verifier)
            return tl::unexpected(verifier.error());
        return Tools{SlangCompiler(compiler_options(line)), std::move(*verifier),
                     std::move(*toolkit)};
    }
};

Result<ModuleReport> run_module(Tools& tools, const ModuleSettings& settings, Depth depth) {
    TrialEngine engine(tools.compiler, tools.verifier, tools.toolkit, settings.options);
    return depth == Depth::improve ? engine.improve(settings.file, settings.root)
                                   : engine.examine(settings.file, settings.root);
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

Result<std::vector<ModuleRun>> run_modules(const CommandLine& line,
                                           const std::vector<InputFile>& inputs, Depth depth) {
    std::vector<ModuleRun> runs(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Result<ModuleSettings> settings = module_settings(line, inputs[i].path);
        if (!settings)
            return tl::unexpected(settings.error());
        runs[i].input = inputs[i];
        runs[i].with = measured_with(*settings);
        runs[i].settings = std::move(*settings);
    }
    if (runs.empty())
        return runs;

    Progress progress;
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        Result<Tools> tools = Tools::create(line);
        for (std::size_t i = next++; i < runs.size(); i = next++) {
            ModuleRun& run = runs[i];
            const std::string file = std::filesystem::path(run.settings.file).filename().string();
            run.settings.options.progress = [&, i, file](const std::string& step) {
                progress.show(fmt::format("[{}/{}] {}: {}", i + 1, runs.size(), file, step));
            };
            const Result<std::string> version =
                tools ? tools->compiler.version()
                      : Result<std::string>(tl::unexpected(tools.error()));
            run.with.slang_version = version.value_or("");
            run.report =
                version ? run_module(*tools, run.settings, depth) : tl::unexpected(version.error());
        }
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < thread_count(line.jobs, runs.size()); ++i)
        threads.emplace_back(work);
    work();
    threads.clear(); // joins
    for (ModuleRun& run : runs)
        run.settings.options.progress = nullptr;
    return runs;
}

Result<ModuleReport> run_module_again(const CommandLine& line, const ModuleSettings& settings,
                                      const FileTexts& overlay) {
    Result<Tools> tools = Tools::create(line);
    if (!tools)
        return tl::unexpected(tools.error());
    ModuleSettings changed = settings;
    changed.options.overlay = overlay;
    return run_module(*tools, changed, Depth::improve);
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
