#pragma once

#include "plugin/cli/command_line.h"
#include "plugin/cli/module_run.h"
#include "plugin/cli/text_report.h"

#include <cstdio>
#include <string>
#include <vector>

namespace slimgrad {

/// What a command that takes FILE|DIR arguments knows of them.
struct Examination {
    std::vector<ModuleRun> runs;
    std::vector<LeftOut> left_out;
};

/// Collects the inputs, works on their modules, and leaves out those with nothing of their own to
/// say. Error: a configuration that is wrong.
Result<Examination> examine(const CommandLine& line, Depth depth);

/// Reports what is wrong with the run itself (missing files, tools that do not start) on standard
/// error.
ExitCode print_problems(const Examination& examination);

/// Prints the whole document, as --output-format says: JSON or a page.
void print_document(const CommandLine& line, const Examination& examination, ExitCode code);

/// Prints the findings of all modules, module by module, then the summary and, if asked for,
/// statistics. A module whose text was changed is followed by its figures before and after.
void print_findings(const CommandLine& line, const Examination& examination,
                    std::size_t changed_files, std::FILE* stream);

} // namespace slimgrad
