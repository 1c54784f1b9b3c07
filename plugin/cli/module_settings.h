#pragma once

#include "plugin/cli/command_line.h"
#include "plugin/cli/configuration.h"
#include "plugin/cli/resource_report.h"
#include "plugin/slang/compiler.h"
#include "plugin/trial/trial.h"

#include <string>

namespace slimgrad {

/// All that one module is worked on with: the command line over slimgrad.toml over the defaults.
struct ModuleSettings {
    std::string file;          ///< canonical
    std::string root;          ///< its project root
    std::string configuration; ///< path of the slimgrad.toml in force, or ""
    TrialOptions options;
};

/// Error: the configuration cannot be read or is wrong.
Result<ModuleSettings> module_settings(const CommandLine& line, const std::string& file);

/// What the module is measured with, for reports. The version is filled in by whoever runs the
/// compiler.
MeasuredWith measured_with(const ModuleSettings& settings);

/// Limits of the Slang worker: those of the command line, else the compiler's own defaults.
SlangCompiler::Options compiler_options(const CommandLine& line);

} // namespace slimgrad
