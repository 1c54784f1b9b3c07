#pragma once

#include "plugin/cli/command_line.h"
#include "plugin/cli/context_report.h"
#include "plugin/cli/input_files.h"
#include "plugin/cli/module_settings.h"
#include "plugin/cli/resource_report.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slimgrad {

/// Whether fixes are tried.
enum class Depth { examine, improve };

/// What came of one module.
struct ModuleRun {
    InputFile input;
    ModuleSettings settings;
    MeasuredWith with;
    Result<ModuleReport> report = fail("not run");
    std::optional<Figures> before_shared; ///< on disk's text, where fixes of other modules change a
                                          ///< file of this one, too
    std::optional<CudaContexts> layouts;  ///< `report` only
};

/// The modules with their settings, not yet worked on. Error: a configuration that is wrong.
Result<std::vector<ModuleRun>> plan_modules(const CommandLine& line,
                                            const std::vector<InputFile>& inputs);

/// As many workers as -j says. Error: a tool is missing.
Result<std::unique_ptr<TrialPool>> start_pool(const CommandLine& line);

/// Works on all modules, several at a time, each thread with a compiler of its own. Results are in
/// the order of `inputs`, whatever the number of threads. Error: a configuration that is wrong.
/// What goes wrong with one module is in its result.
Result<std::vector<ModuleRun>> run_modules(const CommandLine& line,
                                           const std::vector<InputFile>& inputs, Depth depth);

/// Works on one module again, with `overlay` in place of what is on disk.
Result<ModuleReport> run_module_again(const CommandLine& line, const ModuleSettings& settings,
                                      const FileTexts& overlay, Depth depth);

/// Takes modules out of `runs` that have nothing of their own to say, and names the reason: found
/// in a folder, and either without entry points while another module includes them, or without
/// entry points and differentiable code. A module that was named by the user and has neither is
/// taken out as well: there is nothing to do.
std::vector<LeftOut> take_out_bystanders(std::vector<ModuleRun>& runs);

} // namespace slimgrad
