#pragma once

#include "rewriter/result.h"

#include <string>
#include <vector>

namespace slimgrad {

/// A command line in two parts.
struct SplitArguments {
    std::vector<std::string> own; ///< slimgrad's: command, files, `--long` options, -h, -j, and -o
                                  ///< of `preprocess` and `cuda`
    std::vector<std::string>
        slang; ///< slangc's, in order: `-I dir`, `-DN=4`, `-entry f`, and all that follows `--`
};

/// Splits slangc's single-dash options off the arguments (without the program's name), each with
/// the values it takes. What follows `--` is slangc's as it is. Values of slimgrad's own options
/// are joined to them (`--nvcc-arg -lineinfo` becomes `--nvcc-arg=-lineinfo`), so that a dash at
/// their start is no option. Error: a single-dash option that is in neither table, one that lacks
/// its value, one that slimgrad itself decides
/// (-target, -o, ...).
/// Example: {"check", "-I", "lib", "a.slang"} gives own {"check", "a.slang"}, slang {"-I", "lib"}.
Result<SplitArguments> split_slang_options(const std::vector<std::string>& arguments);

} // namespace slimgrad
