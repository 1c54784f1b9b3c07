#include "plugin/cli/commands.h"

#include "plugin/cli/console.h"
#include "plugin/cli/examination.h"

#include <fmt/format.h>

namespace slimgrad {

ExitCode run_check(const CommandLine& line) {
    const Result<Examination> examination = examine(line, Depth::improve);
    if (!examination) {
        print_error(examination.error());
        return ExitCode::usage;
    }
    const ExitCode problems = print_problems(*examination);
    const ExitCode code = with_exit_zero(line, worst(problems, code_of(examination->runs)));
    if (line.format != OutputFormat::text)
        print_document(line, *examination, code);
    else
        print_findings(line, *examination, 0, stdout);
    return code;
}

} // namespace slimgrad
