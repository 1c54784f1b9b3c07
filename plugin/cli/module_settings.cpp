#include "plugin/cli/module_settings.h"

#include "plugin/cli/project_root.h"

#include <algorithm>
#include <chrono>

namespace slimgrad {
namespace {

constexpr const char* default_optimization = "-O3";

/// More than thirty years is for ever, and fits into every clock.
std::chrono::milliseconds duration(double seconds) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(seconds, 1e9) * 1000));
}

void limit(ProcessLimits& limits, const CommandLine& line) {
    if (line.timeout_seconds)
        limits.wall_clock = duration(*line.timeout_seconds);
    if (line.memory_mib)
        limits.memory_bytes = *line.memory_mib << 20;
}

} // namespace

Result<ModuleSettings> module_settings(const CommandLine& line, const std::string& file) {
    ModuleSettings settings;
    settings.file = canonical_path(file);
    settings.root = project_root(file);
    settings.configuration =
        line.configuration ? canonical_path(*line.configuration) : find_configuration(file);

    Configuration configuration;
    if (!settings.configuration.empty()) {
        Result<Configuration> read = read_configuration(settings.configuration);
        if (!read)
            return tl::unexpected(read.error());
        configuration = std::move(*read);
    }

    TrialOptions& options = settings.options;
    options.slang_arguments = configuration.arguments;
    options.slang_arguments.insert(options.slang_arguments.end(), line.slang_arguments.begin(),
                                   line.slang_arguments.end());
    const bool optimization_given =
        std::any_of(options.slang_arguments.begin(), options.slang_arguments.end(),
                    [](const std::string& a) { return a.starts_with("-O"); });
    if (!optimization_given)
        options.slang_arguments.insert(options.slang_arguments.begin(), default_optimization);

    options.nvcc.arch = line.arch.value_or(configuration.arch.value_or(options.nvcc.arch));
    options.nvcc.fast_math =
        line.fast_math.value_or(configuration.fast_math.value_or(options.nvcc.fast_math));
    options.nvcc.extra_arguments = line.nvcc_arguments;
    limit(options.nvcc.limits, line);
    options.nvcc.cache = line.cache;
    options.cache = line.cache;

    options.verify.samples = line.samples.value_or(options.verify.samples);
    options.verify.sample = line.sample;
    options.verify.seed = line.seed.value_or(options.verify.seed);
    options.verify.tolerance = line.tolerance.value_or(options.verify.tolerance);
    options.verify.sanitize = line.sanitize;
    options.verify.gradients = configuration.gradients;
    options.verify.threads = configuration.groups.value_or(options.verify.threads);
    for (const auto& [name, range] : configuration.promises.ranges)
        options.verify.ranges[name] = {range.minimum, range.maximum};
    limit(options.verify.limits, line);

    options.promises = std::move(configuration.promises);
    // These say nothing of gradients that they do not change.
    options.check_gradients = line.command != Command::preprocess && line.command != Command::tune;
    options.unsafe_fixes = line.unsafe_fixes;
    options.minor_fixes = line.minor_fixes;
    options.objective = line.objective;
    options.nvcc.estimate = line.command == Command::report || line.format == OutputFormat::html ||
                            std::find(line.objective.order.begin(), line.objective.order.end(),
                                      Figure::estimate) != line.objective.order.end() ||
                            line.objective.budget.contains(Figure::estimate);
    options.searching = line.command == Command::tune;
    options.reconsider = line.reconsider;
    if (line.time_limit_seconds)
        options.time_limit = duration(*line.time_limit_seconds);
    return settings;
}

MeasuredWith measured_with(const ModuleSettings& settings) {
    MeasuredWith with;
    with.arch = settings.options.nvcc.arch;
    with.fast_math = settings.options.nvcc.fast_math;
    with.slang_arguments = settings.options.slang_arguments;
    with.nvcc_arguments = settings.options.nvcc.extra_arguments;
    return with;
}

SlangCompiler::Options compiler_options(const CommandLine& line) {
    SlangCompiler::Options options;
    limit(options.limits, line);
    options.cache = line.cache;
    return options;
}

} // namespace slimgrad
