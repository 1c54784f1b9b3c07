#pragma once

#include "plugin/cli/command_line.h"
#include "plugin/cli/exit_code.h"
#include "plugin/cli/fix_plan.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace slimgrad {

/// Prints the changes as unified diffs on standard output, unless a page holds them, and returns how
/// many there are.
std::size_t print_diff(const CommandLine& line, const std::vector<FileChange>& changes);

/// Makes the changes, and adds the paths to `written`. What cannot be written is said, and left as
/// it was; the others are made all the same.
ExitCode write_changes(const std::vector<FileChange>& changes, std::set<std::string>& written);

} // namespace slimgrad
