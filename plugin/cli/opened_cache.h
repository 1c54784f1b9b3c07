#pragma once

#include "plugin/cache/result_cache.h"
#include "plugin/cli/command_line.h"

#include <memory>

namespace slimgrad {

/// The folder that the command line or the environment names; "" for none.
std::string folder_of_cache(const CommandLine& line);

/// The results of earlier runs; with --no-cache those of this one only. Where a folder that the
/// user named cannot be used, a warning says so, and results are kept in memory.
std::shared_ptr<ResultCache> open_cache(const CommandLine& line);

} // namespace slimgrad
