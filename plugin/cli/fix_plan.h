#pragma once

#include "plugin/cli/module_run.h"

#include <string>
#include <vector>

namespace slimgrad {

/// One file as it will be.
struct FileChange {
    std::string path; ///< canonical
    std::string
        original; ///< what was read; if the disk has something else by now, nothing is written
    std::string text;
};

/// Puts the changes of all modules together, each file once. A module whose files an earlier one
/// changes (a shared header) is worked on again on top of that change; if that change makes it
/// worse or its gradients differ, the earlier module's fixes are withdrawn, and its report says
/// why. The same holds for what a later module changes in a file of an earlier one. `runs` is
/// brought up to date with all of this. Both `fix` and `fix --diff` do what is returned, and
/// nothing else.
Result<std::vector<FileChange>> plan_fixes(const CommandLine& line, std::vector<ModuleRun>& runs);

/// Why these texts of its files do harm to a module: it no longer compiles, or its gradients
/// change.
/// "" if they do not, or if it does not compile as it is. Error: a tool cannot be run.
Result<std::string> gradient_harm(const CommandLine& line, const ModuleSettings& settings,
                                  const FileTexts& texts);

/// Takes a module's fixes back, with the reason: its report then shows them as not used.
void withdraw_fixes(ModuleReport& report, const std::string& why);

} // namespace slimgrad
