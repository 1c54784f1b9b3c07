#pragma once

#include "plugin/cli/command_line.h"
#include "plugin/cli/exit_code.h"

namespace slimgrad {

// Each runs one command: results on standard output, what is wrong with the run on standard error.

ExitCode run_check(const CommandLine& line);
ExitCode run_fix(const CommandLine& line);
ExitCode run_tune(const CommandLine& line);
ExitCode run_report(const CommandLine& line);
ExitCode run_model_report(const CommandLine& line); // report --model
ExitCode run_verify(const CommandLine& line);
ExitCode run_explain(const CommandLine& line);
ExitCode run_preprocess(const CommandLine& line);
ExitCode run_cuda(const CommandLine& line);
ExitCode run_cache(const CommandLine& line);

} // namespace slimgrad
