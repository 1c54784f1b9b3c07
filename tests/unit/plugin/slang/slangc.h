#pragma once

#include "plugin/process/process.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

namespace slimgrad {

/// Runs the release's own slangc, whose output ours is compared with.
inline ProcessResult run_slangc(std::vector<std::string> arguments) {
    const char* root = std::getenv("SLANG_ROOT");
    ProcessOptions options;
    options.arguments = {root ? std::string(root) + "/bin/slangc"
                              : std::string(SLIMGRAD_SOURCE_DIR) + "/.deps/bin/slangc"};
    options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
    Result<ProcessResult> result = run_process(options);
    REQUIRE(result.has_value());
    return std::move(*result);
}

} // namespace slimgrad
