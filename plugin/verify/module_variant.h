#pragma once

#include "rewriter/source_edit.h"

#include <string>
#include <vector>

namespace slimgrad {

/// One variant of a module: a file as on disk, or with other texts in its place.
struct ModuleVariant {
    std::string file; ///< canonical
    std::string root; ///< its project root; reads outside it and the -I folders are refused
    std::vector<std::string> slang_arguments;
    FileTexts overlay; ///< canonical path -> text that stands in for the disk's
};

/// The values of -D options: "-DN=4" and "-D" "N=4" give "N=4".
std::vector<std::string> macro_definitions(const std::vector<std::string>& slang_arguments);

} // namespace slimgrad
