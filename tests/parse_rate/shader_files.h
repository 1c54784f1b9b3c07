#pragma once

#include "rewriter/result.h"

#include <string>
#include <vector>

namespace slimgrad::parse_rate {

/// The .slang and .slangh files in a folder and the folders below it, sorted; hidden folders and
/// what links point to are left out. Error: the folder is not there or cannot be read.
Result<std::vector<std::string>> find_shaders(const std::string& folder);

/// The bytes of a file. Error: it cannot be read.
Result<std::string> read_file(const std::string& path);

} // namespace slimgrad::parse_rate
