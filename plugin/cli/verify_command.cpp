#include "plugin/cli/commands.h"

#include "plugin/cli/console.h"
#include "plugin/cli/gradient_check.h"
#include "plugin/cli/json_report.h"
#include "plugin/cli/module_settings.h"

#include <fmt/format.h>
#include <string_view>

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
    std::string command =
        fmt::format("slimgrad verify {} {} --seed {} --sample {}", quoted(line.paths[0]),
                    quoted(line.paths[1]), result.seed, sample);
    if (line.configuration)
        command += " --config " + quoted(*line.configuration);
    if (!line.slang_arguments.empty())
        command += " --";
    for (const std::string& argument : line.slang_arguments)
        command += ' ' + quoted(argument);
    return command;
}

void print_result(const CommandLine& line, const VerifyResult& result, const Style& style) {
    const bool good = result.verdict == Verdict::equal;
    const bool bad = code_of(result) == ExitCode::findings;
    fmt::print("{}: {}{}{}{}{}\n", printable(result.entry_point),
               good  ? style.good()
               : bad ? style.bad()
                     : style.bold(),
               to_string(result.verdict), style.reset(), result.reason.empty() ? "" : ": ",
               printable(result.reason));
    if (const auto& difference = result.difference)
        fmt::print("    {}[{}] in sample {}: {} before, {} after (largest relative error {:.3g})\n",
                   printable(difference->buffer), difference->element, difference->sample,
                   difference->original, difference->rewritten, result.largest_error);
    if (const auto sample =
            result.difference ? std::optional(result.difference->sample) : result.sample)
        fmt::print("    again: {}\n", printable(reproduction(line, result, *sample)));
}

Result<std::vector<VerifyResult>> verify(const CommandLine& line, const ModuleSettings& before,
                                         const ModuleSettings& after) {
    SlangCompiler compiler(compiler_options(line));
    // The inputs that BEFORE's configuration describes are those of both.
    return check_gradients(compiler, {before.file, before.root, before.options.slang_arguments, {}},
                           {after.file, after.root, after.options.slang_arguments, {}},
                           before.options.verify, before.options.promises);
}

} // namespace

ExitCode run_verify(const CommandLine& line) {
    const InputFiles inputs = collect_inputs({line.paths[0]});
    const InputFiles other = collect_inputs({line.paths[1]});
    const ExitCode problems =
        worst(print_left_out(inputs.left_out), print_left_out(other.left_out));
    if (inputs.files.size() != 1 || other.files.size() != 1) {
        if (problems == ExitCode::clean)
            print_error({"`verify` compares two shaders: BEFORE and AFTER are one file each"});
        return ExitCode::usage;
    }
    const Result<ModuleSettings> before = module_settings(line, inputs.files.front().path);
    const Result<ModuleSettings> after = module_settings(line, other.files.front().path);
    for (const Result<ModuleSettings>* settings : {&before, &after})
        if (!*settings) {
            print_error(settings->error());
            return ExitCode::usage;
        }

    const Result<std::vector<VerifyResult>> results = verify(line, *before, *after);
    std::string problem;
    ExitCode code = ExitCode::failed;
    if (!results) {
        problem = to_string(results.error());
        print_error(results.error());
    } else {
        code = code_of(*results);
        if (results->empty())
            problem = "no entry point that a CPU can run";
    }
    if (line.format == OutputFormat::json) {
        fmt::print("{}", verify_document_json(before->file, after->file,
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
