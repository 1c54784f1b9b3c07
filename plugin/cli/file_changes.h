#pragma once

#include "plugin/cli/command_line.h"
#include "plugin/cli/exit_code.h"
#include "plugin/cli/fix_plan.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace slimgrad {

/// Prints the changes as unified diffs on standard output, unless a page holds them, and returns
/// how many there are.
std::size_t print_diff(const CommandLine& line, const std::vector<FileChange>& changes);

/// Makes the changes, and adds the paths to `written`. What cannot be written is said, and left as
/// it was; so are the files that change together with it, `together`, be it through others: half of
/// a change may not compile. All others are made all the same.
ExitCode write_changes(const std::vector<FileChange>& changes,
                       const std::vector<std::set<std::string>>& together,
                       std::set<std::string>& written);

} // namespace slimgrad
