#pragma once

#include "plugin/cli/command_line.h"
#include "plugin/cli/input_files.h"
#include "plugin/cli/module_run.h"
#include "plugin/cli/text_report.h"

#include <cstdio>
#include <string_view>
#include <vector>

namespace slimgrad {

/// How to write for a person into `stream`: colour by --color, NO_COLOR and whether it is a
/// terminal.
TextOptions text_options(const CommandLine& line, std::FILE* stream);

/// `slimgrad: MESSAGE` or, with a place, `FILE:LINE:COL: error: MESSAGE` on standard error.
void print_error(const Error& error);
/// `FILE: warning: MESSAGE` on standard error.
void print_warning(const std::string& path, std::string_view message);

/// One line on standard error for each input that was left out; what was found in a folder and is
/// no mistake is silent here, `--statistics` counts it. Returns the worst of their codes.
ExitCode print_left_out(const std::vector<LeftOut>& left_out);

/// Prints why modules could not be worked on at all. Returns `failed` if there was one.
ExitCode print_failed_runs(const std::vector<ModuleRun>& runs);

/// 1 becomes 0 with --exit-zero; the other codes stay.
ExitCode with_exit_zero(const CommandLine& line, ExitCode code);

/// The code of modules as they are, if nothing is fixed.
ExitCode code_of(const std::vector<ModuleRun>& runs);

} // namespace slimgrad
