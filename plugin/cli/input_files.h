#pragma once

#include "plugin/cli/exit_code.h"
#include "rewriter/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// A shader to look at.
struct InputFile {
    std::string path; ///< canonical
    bool from_directory =
        false; ///< found in a folder, not named: what is no kernel there is no mistake
};

/// An argument, or a file found, that is not looked at, and why.
struct LeftOut {
    std::string path;
    std::string reason;
    ExitCode code = ExitCode::usage; ///< clean: nothing is wrong, there is only nothing to do
    bool from_directory = false;
    Place place = {}; ///< line and column of what is wrong, where that is one place in the file
};

struct InputFiles {
    std::vector<InputFile> files; ///< in the order of the arguments, each file once
    std::vector<LeftOut> left_out;
};

/// Resolves FILE|DIR arguments. A folder is searched for *.slang, sorted by path; .git, .deps and
/// CMake build trees are left out, links to folders are not followed, nor are links to files
/// outside the folder. A file that is named twice, or by another link, is taken once. Missing,
/// unreadable, empty and binary files are in `left_out`; so is a folder without shaders.
InputFiles collect_inputs(const std::vector<std::string>& arguments);

/// Why a text is no shader text ("not UTF-8: byte 0xe9 in line 3"), or nothing. White space alone
/// is text.
std::optional<Error> not_shader_text(std::string_view text);

} // namespace slimgrad
