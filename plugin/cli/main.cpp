#include "plugin/cli/command_line.h"
#include "plugin/cli/commands.h"
#include "plugin/cli/console.h"
#include "plugin/cli/exit_code.h"
#include "plugin/cli/opened_cache.h"
#include "plugin/process/stop_signals.h"

#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace slimgrad {
namespace {

ExitCode run(const CommandLine& line) {
    switch (line.command) {
    case Command::check:
        return run_check(line);
    case Command::fix:
        return run_fix(line);
    case Command::tune:
        return run_tune(line);
    case Command::report:
        return run_report(line);
    case Command::verify:
        return run_verify(line);
    case Command::explain:
        return run_explain(line);
    case Command::preprocess:
        return run_preprocess(line);
    case Command::cuda:
        return run_cuda(line);
    case Command::cache:
        return run_cache(line);
    }
    return ExitCode::failed;
}

ExitCode run(const std::vector<std::string>& arguments) {
    auto parsed = parse_command_line(arguments);
    if (!parsed) {
        print_error(parsed.error());
        return ExitCode::usage;
    }
    if (const auto* help = std::get_if<HelpText>(&*parsed)) {
        fmt::print("{}", help->text);
        return ExitCode::clean;
    }
    CommandLine& line = std::get<CommandLine>(*parsed);
    if (line.command != Command::explain)
        line.cache = open_cache(line);
    return run(line);
}

/// A result that did not reach its reader (a full disk) is no result.
ExitCode flush(ExitCode code) {
    if (std::fflush(stdout) == 0 && !std::ferror(stdout))
        return code;
    std::perror("slimgrad: standard output");
    return ExitCode::failed;
}

} // namespace
} // namespace slimgrad

int main(int argc, char** argv) {
    try {
        slimgrad::clean_up_when_stopped();
        const std::vector<std::string> arguments(argv + 1, argv + argc);
        return static_cast<int>(slimgrad::flush(slimgrad::run(arguments)));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "slimgrad: internal error: %s\n", error.what());
        return static_cast<int>(slimgrad::ExitCode::failed);
    }
}
