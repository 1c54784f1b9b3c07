#pragma once

#include "rewriter/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::nvrtc {

/// The macros that options of nvrtcCompileProgram define, as slimgrad-clang takes them: "NAME" or
/// "NAME=VALUE". Error: the options make of the text what the rewriter cannot see (a macro is
/// undefined, a header is put in front of it), so that it has to stay as it is.
Result<std::vector<std::string>> defines(const std::vector<std::string_view>& options);

} // namespace slimgrad::nvrtc
