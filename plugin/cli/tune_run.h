#pragma once

#include "plugin/cli/command_line.h"
#include "plugin/cli/input_files.h"
#include "plugin/cli/module_run.h"
#include "plugin/trial/tune.h"

#include <map>
#include <string>
#include <vector>

namespace slimgrad {

/// Modules that were tuned together.
struct TuneRun {
    std::vector<ModuleRun> modules; ///< with the reports of `report`, in the order of the inputs
    Result<TuneReport> report = fail("not run");
    /// Shaders under the project root that use a file that is changed and were not given, by file.
    std::map<std::string, std::vector<std::string>> other_users;
    std::string withdrawn; ///< why nothing is changed although something was found, or ""
};

/// Takes everything back, with the reason: the report then shows it as not used.
void withdraw_tuning(TuneRun& run, const std::string& why);

/// Tunes all modules, those that share differentiable code together, several groups at a time.
/// Error: a configuration that is wrong, or a tool that does not start.
Result<std::vector<TuneRun>> run_tuning(const CommandLine& line,
                                        const std::vector<InputFile>& inputs);

} // namespace slimgrad
