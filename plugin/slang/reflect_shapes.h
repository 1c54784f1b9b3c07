#pragma once

#include "plugin/slang/reflection.h"

#include <slang.h>
#include <string>
#include <vector>

namespace slimgrad::slang_plugin {

/// The shapes of the functions with these names, which are Slang expressions in the module's own
/// scope: "march", "eval<8>", "N.Scene.trace"; of overloads each. Generic functions without
/// arguments have none: they say so in `problem`.
std::vector<FunctionShape> reflect_shapes(slang::ProgramLayout& program,
                                          const std::vector<std::string>& names);

} // namespace slimgrad::slang_plugin
