#include "plugin/cli/console.h"

#include "plugin/cli/finding_view.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace slimgrad {
namespace {

bool use_color(ColorChoice choice, std::FILE* stream) {
    if (choice != ColorChoice::automatic)
        return choice == ColorChoice::always;
    const char* no_color = std::getenv("NO_COLOR");
    return (!no_color || !*no_color) && isatty(fileno(stream)) == 1;
}

} // namespace

TextOptions text_options(const CommandLine& line, std::FILE* stream) {
    TextOptions options;
    options.style.color = use_color(line.color, stream);
    options.directory = current_directory();
    options.why = line.why;
    options.applying =
        (line.command == Command::fix || line.command == Command::tune) && !line.diff && !line.lock;
    return options;
}

void print_error(const Error& error) {
    const std::string place = to_string(display_place(error.place, current_directory()));
    if (place.empty())
        fmt::print(stderr, "slimgrad: {}\n", printable(error.message));
    else
        fmt::print(stderr, "{}: error: {}\n", printable(place), printable(error.message));
}

void print_warning(const std::string& path, std::string_view message) {
    fmt::print(stderr, "{}: warning: {}\n", printable(display_path(path, current_directory())),
               printable(message));
}

ExitCode print_left_out(const std::vector<LeftOut>& left_out) {
    ExitCode code = ExitCode::clean;
    for (const LeftOut& input : left_out) {
        code = worst(code, input.code);
        if (input.code != ExitCode::clean)
            print_error({input.reason, {input.path, input.place.line, input.place.column}});
        else if (!input.from_directory)
            fmt::print(stderr, "{}: nothing to do: {}\n",
                       printable(display_path(input.path, current_directory())), input.reason);
    }
    return code;
}

ExitCode print_failed_runs(const std::vector<ModuleRun>& runs) {
    ExitCode code = ExitCode::clean;
    std::vector<std::string> printed; // a missing toolkit is every module's problem, and said once
    for (const ModuleRun& run : runs) {
        if (run.report)
            continue;
        code = ExitCode::failed;
        const std::string text = to_string(run.report.error());
        if (std::find(printed.begin(), printed.end(), text) == printed.end())
            print_error(run.report.error());
        printed.push_back(text);
    }
    return code;
}

ExitCode with_exit_zero(const CommandLine& line, ExitCode code) {
    return line.exit_zero && code == ExitCode::findings ? ExitCode::clean : code;
}

ExitCode code_of(const std::vector<ModuleRun>& runs) {
    ExitCode code = ExitCode::clean;
    for (const ModuleRun& run : runs) {
        if (!run.report)
            code = worst(code, ExitCode::failed);
        else if (compiler_failed(*run.report) || is_incomplete(*run.report))
            code = worst(code, ExitCode::failed);
        else
            for (const FindingView& view : view_findings(*run.report))
                if (view.counts())
                    code = worst(code, ExitCode::findings);
    }
    return code;
}

} // namespace slimgrad
