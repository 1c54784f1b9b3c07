#pragma once

#include "rewriter/source_file.h"

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::front_end {

/// What a fuzzed text stands for: a module's files and -D options. Lines divide it:
///
///     //--- lib/b.slang      the file /m/lib/b.slang begins behind this line
///     //-D NAME=value        an option, wherever it stands
///
/// What is before the first such line is /m/main.slang. Any bytes are an input.
struct Input {
    std::vector<SourceFile> files; ///< paths differ, the main file first
    std::vector<std::string> defines;
};

Input read_input(std::string_view bytes);

} // namespace slimgrad::front_end
