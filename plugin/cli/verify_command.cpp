#include "plugin/cli/commands.h"

#include "plugin/cli/console.h"
#include "plugin/cli/json_report.h"
#include "plugin/cli/loaded_module.h"
#include "plugin/cli/module_settings.h"
#include "plugin/verify/rewritten_text.h"
#include "rewriter/atomic_write.h"

#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <system_error>

namespace slimgrad {
namespace {

ExitCode code_of(const VerifyResult& result) {
    switch (result.verdict) {
    case Verdict::equal:
    case Verdict::right:
        return ExitCode::clean;
    case Verdict::wrong:
    case Verdict::different:
    case Verdict::original_wrong:
    case Verdict::rewritten_wrong:
        return ExitCode::findings;
    case Verdict::unverified:
    case Verdict::cannot_run:
        return ExitCode::cannot_tell;
    }
    return ExitCode::cannot_tell;
}

/// A difference in one entry point outweighs that another one could not be told.
ExitCode code_of(const std::vector<VerifyResult>& results) {
    ExitCode code = results.empty() ? ExitCode::cannot_tell : ExitCode::clean;
    for (const VerifyResult& result : results) {
        const ExitCode own = code_of(result);
        if (own == ExitCode::findings)
            return own;
        code = worst(code, own);
    }
    return code;
}

/// An argument as a shell takes it.
std::string quoted(const std::string& argument) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos)
        return argument;
    std::string text = "'";
    for (char c : argument)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + '\'';
}

/// The command that runs the input again that showed it.
std::string reproduction(const CommandLine& line, const VerifyResult& result,
                         std::uint32_t sample) {
    std::string command = "slimgrad verify";
    for (const std::string& path : line.paths)
        command += ' ' + quoted(path);
    command += fmt::format(" --seed {} --sample {}", result.seed, sample);
    if (line.gpu)
        command += " --gpu";
    if (line.tolerance)
        command += fmt::format(" --tolerance {}", *line.tolerance);
    if (line.configuration)
        command += " --config " + quoted(*line.configuration);
    if (!line.slang_arguments.empty())
        command += " --";
    for (const std::string& argument : line.slang_arguments)
        command += ' ' + quoted(argument);
    return command;
}

std::string_view color(StepState state, const Style& style) {
    switch (state) {
    case StepState::passed:
        return style.good();
    case StepState::failed:
        return style.bad();
    case StepState::not_applicable:
    case StepState::not_run:
        break;
    }
    return style.bold();
}

void print_result(const CommandLine& line, const VerifyResult& result, const Style& style) {
    const bool good = code_of(result) == ExitCode::clean;
    const bool bad = code_of(result) == ExitCode::findings;
    fmt::print("{}: {}{}{}{}{}\n", printable(result.entry_point),
               good  ? style.good()
               : bad ? style.bad()
                     : style.bold(),
               to_string(result.verdict), style.reset(), result.reason.empty() ? "" : ": ",
               printable(result.reason));
    for (const StepReport& step : result.steps)
        fmt::print("    {:<14}{}{:<15}{}{:>5} ms{}{}\n", to_string(step.step),
                   color(step.state, style), to_string(step.state), style.reset(),
                   step.duration.count(), step.detail.empty() ? "" : "  ", printable(step.detail));
    if (const auto& difference = result.difference)
        fmt::print("    {}[{}] in sample {}: {} before, {} after (largest relative error {:.3g})\n",
                   printable(difference->buffer), difference->element, difference->sample,
                   difference->original, difference->rewritten, result.largest_error);
    if (const auto sample =
            result.difference ? std::optional(result.difference->sample) : result.sample)
        fmt::print("    again: {}\n", printable(reproduction(line, result, *sample)));
}

/// Whether AFTER is CUDA that was made from what slangc emits for BEFORE.
bool is_cuda_text(const CommandLine& line) {
    return line.paths.size() == 2 && line.paths[1].ends_with(".cu");
}

std::string absolute(const std::string& path) {
    std::error_code error;
    return std::filesystem::absolute(path, error).string();
}

/// BEFORE alone, or BEFORE against AFTER. `cuda_text`: AFTER's, where it is one.
Result<std::vector<VerifyResult>> climb_ladder(const CommandLine& line,
                                               const std::vector<ModuleSettings>& settings,
                                               const std::string& cuda_text) {
    SlangCompiler compiler(compiler_options(line));
    std::vector<LoadedModule> modules;
    for (const ModuleSettings& module : settings) {
        Result<LoadedModule> loaded =
            load_module(compiler, {module.file, module.root, module.options.slang_arguments, {}});
        if (!loaded)
            return tl::unexpected(loaded.error());
        modules.push_back(std::move(*loaded));
    }
    Result<Verifier> verifier = Verifier::create();
    if (!verifier)
        return tl::unexpected(verifier.error());
    ModuleVerifier ladder(compiler, *verifier, line.cache);
    // The inputs that BEFORE's configuration describes are those of both.
    TrialOptions options = settings.front().options;
    if (line.gpu) {
        Result<CudaToolkit> toolkit = CudaToolkit::find();
        if (!toolkit)
            return tl::unexpected(toolkit.error());
        options.verify.device = DeviceOptions{std::move(*toolkit), options.nvcc};
    }
    if (is_cuda_text(line)) {
        const ModuleView module = modules[0].view();
        return compare_rewritten(
            *verifier, {&module, modules[0].cuda.code, cuda_text, line.paths[1], line.tolerance},
            options.verify, options.promises);
    }
    if (modules.size() == 1)
        return ladder.check(modules[0].view(), options.verify, options.promises);
    return ladder.compare(modules[0].view(), modules[1].view(), options.verify, options.promises);
}

} // namespace

ExitCode run_verify(const CommandLine& line) {
    std::vector<ModuleSettings> settings;
    std::string cuda_text;
    ExitCode problems = ExitCode::clean;
    if (line.paths.front().ends_with(".cu")) {
        print_error({"is CUDA: BEFORE has to be the shader (.slang) that it was made from, as in "
                     "`verify SHADER.slang REWRITTEN.cu`",
                     {line.paths.front()}});
        return ExitCode::usage;
    }
    for (const std::string& path : line.paths) {
        if (is_cuda_text(line) && &path == &line.paths.back()) {
            Result<std::string> text = read_file(path);
            if (!text) {
                print_error(text.error());
                return ExitCode::usage;
            }
            cuda_text = std::move(*text);
            break;
        }
        const InputFiles inputs = collect_inputs({path});
        problems = worst(problems, print_left_out(inputs.left_out));
        if (inputs.files.size() != 1) {
            if (problems == ExitCode::clean)
                print_error(
                    {"`verify` takes one shader or two: BEFORE and AFTER are one file each"});
            return ExitCode::usage;
        }
        Result<ModuleSettings> read = module_settings(line, inputs.files.front().path);
        if (!read) {
            print_error(read.error());
            return ExitCode::usage;
        }
        settings.push_back(std::move(*read));
    }
    const Result<std::vector<VerifyResult>> results = climb_ladder(line, settings, cuda_text);
    std::string problem;
    ExitCode code = ExitCode::failed;
    if (!results) {
        problem = to_string(results.error());
        print_error(results.error());
    } else {
        code = code_of(*results);
        if (results->empty())
            problem = "no entry point runs a backward pass";
    }
    if (line.format == OutputFormat::json) {
        fmt::print("{}", verify_document_json(settings.front().file,
                                              is_cuda_text(line)    ? absolute(line.paths[1])
                                              : settings.size() > 1 ? settings[1].file
                                                                    : "",
                                              results.value_or(std::vector<VerifyResult>{}),
                                              problem, code));
        return code;
    }
    const TextOptions options = text_options(line, stdout);
    for (const VerifyResult& result : results.value_or(std::vector<VerifyResult>{}))
        print_result(line, result, options.style);
    if (results && results->empty())
        fmt::print("{}: cannot tell: {}\n", printable(line.paths[0]), problem);
    return code;
}

} // namespace slimgrad
